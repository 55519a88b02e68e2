package org.sallyport.bench.report;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A whole run.
 *
 * @param command what was run, such as {@code smoke}
 * @param elapsed from the first start to the last end
 * @param executions how many executions were submitted, or operations done where nothing is executed; all with the outcome that was expected
 * @param machine what it ran on
 * @param stages the parts of one submit and wait
 */
public record BenchmarkReport(
        String command,
        Instant startedAt,
        Duration elapsed,
        long executions,
        String machine,
        List<ReportRow> rows,
        List<BaselineRow> baselines,
        List<StageLatency> stages) {
    public BenchmarkReport {
        rows = List.copyOf(rows);
        baselines = List.copyOf(baselines);
        stages = List.copyOf(stages);
    }
}
