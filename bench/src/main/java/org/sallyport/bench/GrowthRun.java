package org.sallyport.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.sallyport.bench.report.BenchmarkReport;
import org.sallyport.bench.scenario.BenchmarkResult;
import org.sallyport.bench.scenario.StoredGrowthBenchmark;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.BenchmarkServer;
import org.sallyport.bench.service.ExecutionSeeder;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;

/** Compares two services on the embedded database: one with few stored executions, and one with many. */
final class GrowthRun {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(10);
    private static final Duration WINDOW = Duration.ofMillis(500);
    private static final int COLUMNS = 120;

    private final StoredCounts stored;
    private final Path layout;
    private final List<String> javaOptions;
    private final Duration warmUp;
    private final PrintStream progress;
    private final BenchmarkWorkspace workspace;
    private final long startNanos = System.nanoTime();

    /**
     * Numbers of executions that the two services have stored before the measurement.
     *
     * @param few at least 100
     * @param many more than {@code few}
     */
    record StoredCounts(int few, int many) {
        static final StoredCounts DEFAULT = new StoredCounts(10_000, 1_000_000);
        private static final int MIN_STORED = 100;

        StoredCounts {
            if (few < MIN_STORED || many <= few) {
                throw new IllegalArgumentException(
                        "--stored needs two whole numbers, the first at least " + MIN_STORED + ", the second larger.");
            }
        }
    }

    GrowthRun(
            StoredCounts stored,
            Path layout,
            List<String> javaOptions,
            Duration warmUp,
            PrintStream progress,
            BenchmarkWorkspace workplace) {
        this.stored = stored;
        this.layout = layout;
        this.javaOptions = List.copyOf(javaOptions);
        this.warmUp = warmUp;
        this.progress = progress;
        this.workspace = workplace;
    }

    BenchmarkReport run(Instant begunAt, String machine) throws Exception {
        Path few = workspace.createDirectory("few");
        Path many = workspace.createDirectory("many");
        String original = createOriginal(few);
        printProgress(String.format(Locale.ROOT, "storing %,d executions", stored.few()));
        ExecutionSeeder.addCopies(few, original, 1, stored.few());
        copy(few, many);
        printProgress(String.format(Locale.ROOT, "storing %,d executions", stored.many()));
        ExecutionSeeder.addCopies(many, original, stored.few() + 1, stored.many());
        BenchmarkClient small = start(few);
        BenchmarkClient large = start(many);
        StoredGrowthBenchmark growth = new StoredGrowthBenchmark(
                new StoredGrowthBenchmark.FilledService(small, stored.few()),
                new StoredGrowthBenchmark.FilledService(large, stored.many()),
                WINDOW);
        printProgress("warm-up");
        growth.warmUp(warmUp);
        printProgress("P10");
        BenchmarkResult all = growth.measure();
        return new BenchmarkReport(
                "growth",
                begunAt,
                Duration.ofNanos(System.nanoTime() - startNanos),
                1 + small.submittedCount() + large.submittedCount(),
                machine + ", warm-up " + warmUp.toSeconds() + " s",
                all.rows(),
                all.baselines(),
                all.stages());
    }

    /** Runs the execution whose copies are stored, and returns its id. */
    private String createOriginal(Path data) throws Exception {
        try (BenchmarkServer service = service(data)) {
            service.start(START_TIMEOUT);
            return new BenchmarkClient(service.url(), service.key())
                    .run(BenchmarkScript.trivial(0))
                    .expectResult(1)
                    .id();
        }
    }

    private BenchmarkClient start(Path data) throws Exception {
        BenchmarkServer service = workspace.register(service(data));
        service.start(START_TIMEOUT);
        return new BenchmarkClient(service.url(), service.key());
    }

    private BenchmarkServer service(Path data) throws IOException {
        Terminal terminal = new Terminal(progress, progress, false, false, new TerminalStyle(COLUMNS, false, false));
        return new BenchmarkServer(layout, data, javaOptions, terminal);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = to.resolve(from.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }

    private void printProgress(String what) {
        progress.printf(Locale.ROOT, "bench: %4.1f s  %s%n", (System.nanoTime() - startNanos) / 1e9, what);
    }
}
