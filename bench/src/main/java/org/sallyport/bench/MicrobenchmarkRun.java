package org.sallyport.bench;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.sallyport.bench.measure.BatchTimings;
import org.sallyport.bench.part.Microbenchmark;
import org.sallyport.bench.part.MicrobenchmarkTask;
import org.sallyport.bench.report.BenchmarkReport;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.ReportRow;

/**
 * Measures the steps that the service performs in its process for each call. Needs no service and less than a minute.
 */
final class MicrobenchmarkRun {
    static final int BATCHES = 200;

    private static final Duration BATCH_TIME = Duration.ofMillis(5);
    private static final double MICROS_PER_MILLI = 1e3;

    private final Duration warmUp;
    private final int batches;
    private final PrintStream progress;
    private final long startNanos = System.nanoTime();

    /**
     * @param warmUp duration of the warm-up of each step
     * @param batches number of measured batches of each step
     */
    MicrobenchmarkRun(Duration warmUp, int batches, PrintStream progress) {
        this.warmUp = warmUp;
        this.batches = batches;
        this.progress = progress;
    }

    BenchmarkReport run(Instant begunAt, String machine) throws Exception {
        Map<String, ReportRow> rows = new LinkedHashMap<>();
        for (Microbenchmark each : Microbenchmark.values()) {
            progress.printf(
                    Locale.ROOT,
                    "bench: %4.1f s  %s %s%n",
                    (System.nanoTime() - startNanos) / 1e9,
                    each.rowId(),
                    each.variant());
            MicrobenchmarkTask part = each.createTask();
            BatchTimings taken = BatchTimings.measure(batches, BATCH_TIME, warmUp, part::runOnce);
            MeasuredValue p50 = new MeasuredValue(
                    each.variant(), taken.batchMeans().p50() * MICROS_PER_MILLI, "µs", each.targetMicros());
            rows.merge(each.rowId(), row(each, taken.operations(), p50), MicrobenchmarkRun::merge);
        }
        return new BenchmarkReport(
                "parts",
                begunAt,
                Duration.ofNanos(System.nanoTime() - startNanos),
                rows.values().stream().mapToLong(ReportRow::operations).sum(),
                machine + ", warm-up " + warmUp.toSeconds() + " s each",
                List.copyOf(rows.values()),
                List.of(),
                List.of());
    }

    private static ReportRow row(Microbenchmark part, long operations, MeasuredValue figure) {
        return new ReportRow(part.rowId(), part.description(), operations, OptionalDouble.empty(), List.of(figure));
    }

    private static ReportRow merge(ReportRow first, ReportRow second) {
        List<MeasuredValue> figures = new ArrayList<>(first.values());
        figures.addAll(second.values());
        return new ReportRow(
                first.id(),
                first.description(),
                first.operations() + second.operations(),
                OptionalDouble.empty(),
                figures);
    }
}
