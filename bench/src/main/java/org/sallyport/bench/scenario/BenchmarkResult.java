package org.sallyport.bench.scenario;

import java.util.List;
import org.sallyport.bench.report.BaselineRow;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.bench.report.StageLatency;

/** Rows, baselines and stages that one or more benchmarks contribute to the report. */
public record BenchmarkResult(List<ReportRow> rows, List<BaselineRow> baselines, List<StageLatency> stages) {
    public BenchmarkResult {
        rows = List.copyOf(rows);
        baselines = List.copyOf(baselines);
        stages = List.copyOf(stages);
    }

    /** The result of a benchmark that did not run. */
    public static final BenchmarkResult EMPTY = new BenchmarkResult(List.of(), List.of(), List.of());

    /** Concatenates the results in their order. */
    public static BenchmarkResult combine(BenchmarkResult... results) {
        List<BenchmarkResult> parts = List.of(results);
        return new BenchmarkResult(
                parts.stream().flatMap(part -> part.rows().stream()).toList(),
                parts.stream().flatMap(part -> part.baselines().stream()).toList(),
                parts.stream().flatMap(part -> part.stages().stream()).toList());
    }

    static BenchmarkResult of(ReportRow row) {
        return new BenchmarkResult(List.of(row), List.of(), List.of());
    }

    static BenchmarkResult of(ReportRow row, BaselineRow floor) {
        return new BenchmarkResult(List.of(row), List.of(floor), List.of());
    }
}
