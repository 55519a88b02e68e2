package org.sallyport.bench.report;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A whole run.
 *
 * @param command what was run, such as {@code smoke}
 * @param took from the first start to the last end
 * @param executions how many executions were submitted, or operations done where nothing is executed; all with the outcome that was expected
 * @param machine what it ran on
 * @param stages the parts of one submit and wait
 */
public record Report(
        String command,
        Instant begunAt,
        Duration took,
        long executions,
        String machine,
        List<Row> rows,
        List<Floor> floors,
        List<Stage> stages) {
    public Report {
        rows = List.copyOf(rows);
        floors = List.copyOf(floors);
        stages = List.copyOf(stages);
    }
}
