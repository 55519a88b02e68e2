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
import org.sallyport.bench.measure.Batches;
import org.sallyport.bench.part.Part;
import org.sallyport.bench.part.Parts;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Report;
import org.sallyport.bench.report.Row;

/** What the service does with each call inside its process, without a service, in less than a minute. */
final class PartsRun {
    static final int BATCHES = 200;

    private static final Duration BATCH = Duration.ofMillis(5);
    private static final double MICROS = 1e3;

    private final Duration warmUp;
    private final int batches;
    private final PrintStream progress;
    private final long begin = System.nanoTime();

    /**
     * @param warmUp how long each part is done before anything counts
     * @param batches how many are measured of each
     */
    PartsRun(Duration warmUp, int batches, PrintStream progress) {
        this.warmUp = warmUp;
        this.batches = batches;
        this.progress = progress;
    }

    Report run(Instant begunAt, String machine) throws Exception {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (Parts each : Parts.values()) {
            progress.printf(
                    Locale.ROOT,
                    "bench: %4.1f s  %s %s%n",
                    (System.nanoTime() - begin) / 1e9,
                    each.row(),
                    each.figure());
            Part part = each.make();
            Batches taken = Batches.take(batches, BATCH, warmUp, part::once);
            Figure p50 = new Figure(each.figure(), taken.each().p50() * MICROS, "µs", each.micros());
            rows.merge(each.row(), row(each, taken.operations(), p50), PartsRun::together);
        }
        return new Report(
                "parts",
                begunAt,
                Duration.ofNanos(System.nanoTime() - begin),
                rows.values().stream().mapToLong(Row::operations).sum(),
                machine + ", warm-up " + warmUp.toSeconds() + " s each",
                List.copyOf(rows.values()),
                List.of(),
                List.of());
    }

    private static Row row(Parts part, long operations, Figure figure) {
        return new Row(part.row(), part.what(), operations, OptionalDouble.empty(), List.of(figure));
    }

    private static Row together(Row first, Row second) {
        List<Figure> figures = new ArrayList<>(first.figures());
        figures.addAll(second.figures());
        return new Row(
                first.id(), first.what(), first.operations() + second.operations(), OptionalDouble.empty(), figures);
    }
}
