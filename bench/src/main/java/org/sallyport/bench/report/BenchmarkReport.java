package org.sallyport.bench.report;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Report of one run of the benchmark.
 *
 * @param command the command, such as {@code smoke}
 * @param elapsed time from the start of the run to the report
 * @param executions number of submitted executions, or of operations in a run without executions; all of them had the
 *     expected outcome
 * @param machine description of the machine
 * @param stages the stages of one submit and wait
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
