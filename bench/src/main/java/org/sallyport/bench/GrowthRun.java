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
import org.sallyport.bench.report.Report;
import org.sallyport.bench.row.Growth;
import org.sallyport.bench.row.Result;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Script;
import org.sallyport.bench.service.StartedService;
import org.sallyport.bench.service.Stock;
import org.sallyport.cli.terminal.Look;
import org.sallyport.cli.terminal.Terminal;

/** Two services side by side on the embedded database: one that has stored few executions, and one that has stored many. */
final class GrowthRun {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration STRETCH = Duration.ofMillis(500);
    private static final int COLUMNS = 120;

    private final Stored stored;
    private final Path layout;
    private final List<String> javaOptions;
    private final Duration warmUp;
    private final PrintStream progress;
    private final Workplace workplace;
    private final long begin = System.nanoTime();

    /**
     * How many executions are stored before anything is measured.
     *
     * @param few at least 100
     * @param many more than that
     */
    record Stored(int few, int many) {
        static final Stored USUAL = new Stored(10_000, 1_000_000);
        private static final int LEAST = 100;

        Stored {
            if (few < LEAST || many <= few) {
                throw new IllegalArgumentException(
                        "--stored needs two whole numbers, the first at least " + LEAST + ", the second larger.");
            }
        }
    }

    GrowthRun(
            Stored stored,
            Path layout,
            List<String> javaOptions,
            Duration warmUp,
            PrintStream progress,
            Workplace workplace) {
        this.stored = stored;
        this.layout = layout;
        this.javaOptions = List.copyOf(javaOptions);
        this.warmUp = warmUp;
        this.progress = progress;
        this.workplace = workplace;
    }

    Report run(Instant begunAt, String machine) throws Exception {
        Path few = workplace.directory("few");
        Path many = workplace.directory("many");
        String original = original(few);
        say(String.format(Locale.ROOT, "storing %,d", stored.few()));
        Stock.add(few, original, 1, stored.few());
        copy(few, many);
        say(String.format(Locale.ROOT, "storing %,d", stored.many()));
        Stock.add(many, original, stored.few() + 1, stored.many());
        Client small = start(few);
        Client large = start(many);
        Growth growth =
                new Growth(new Growth.Side(small, stored.few()), new Growth.Side(large, stored.many()), STRETCH);
        say("warm-up");
        growth.warmUp(warmUp);
        say("P10");
        Result all = growth.measure();
        return new Report(
                "growth",
                begunAt,
                Duration.ofNanos(System.nanoTime() - begin),
                1 + small.submitted() + large.submitted(),
                machine + ", warm-up " + warmUp.toSeconds() + " s",
                all.rows(),
                all.floors(),
                all.stages());
    }

    /** The execution whose copies are stored. */
    private String original(Path data) throws Exception {
        try (StartedService service = service(data)) {
            service.start(PATIENCE);
            return new Client(service.url(), service.key())
                    .run(Script.trivial(0))
                    .expectResult(1)
                    .id();
        }
    }

    private Client start(Path data) throws Exception {
        StartedService service = workplace.keep(service(data));
        service.start(PATIENCE);
        return new Client(service.url(), service.key());
    }

    private StartedService service(Path data) throws IOException {
        Terminal terminal = new Terminal(progress, progress, false, false, new Look(COLUMNS, false, false));
        return new StartedService(layout, data, javaOptions, terminal);
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

    private void say(String what) {
        progress.printf(Locale.ROOT, "bench: %4.1f s  %s%n", (System.nanoTime() - begin) / 1e9, what);
    }
}
