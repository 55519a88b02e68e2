package org.sallyport.bench;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.bench.report.BenchmarkReport;
import org.sallyport.bench.report.JsonReportWriter;
import org.sallyport.bench.report.TextReportWriter;
import org.sallyport.cli.local.ServerStartException;

/**
 * Main class of the benchmark. Exit codes: 0 if all results were correct, 1 after any failure, 2 for invalid arguments.
 */
public final class BenchmarkMain {
    private static final int EXIT_WRONG = 1;
    private static final int EXIT_USAGE = 2;

    private BenchmarkMain() {}

    public static void main(String[] words) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(List.of(words), out, err));
    }

    private static int run(List<String> words, PrintStream out, PrintStream err) {
        BenchmarkArguments arguments;
        try {
            arguments = BenchmarkArguments.parse(words);
        } catch (IllegalArgumentException e) {
            err.println("bench: " + e.getMessage());
            err.print(BenchmarkArguments.USAGE);
            return EXIT_USAGE;
        }
        if (arguments.help()) {
            out.print(BenchmarkArguments.USAGE);
            return 0;
        }
        return measure(arguments, out, err);
    }

    private static int measure(BenchmarkArguments arguments, PrintStream out, PrintStream err) {
        boolean ending = false;
        try (BenchmarkWorkspace workplace = new BenchmarkWorkspace()) {
            try {
                BenchmarkReport report = runBenchmark(arguments, err, workplace);
                out.print(TextReportWriter.toText(report));
                if (arguments.jsonFile().isPresent()) {
                    Files.writeString(arguments.jsonFile().get(), JsonReportWriter.toJson(report));
                }
            } catch (Exception e) {
                // After a signal the workspace closes the servers, so any failure from then on is a consequence of the
                // signal.
                ending = workplace.isClosed();
                throw e;
            }
            return 0;
        } catch (ServerStartException e) {
            err.println("bench: " + e.getMessage());
            e.advice().forEach(line -> err.println("  " + line));
        } catch (Exception e) {
            if (!ending) {
                err.println("bench: " + e);
                e.printStackTrace(err);
            }
        }
        return EXIT_WRONG;
    }

    private static BenchmarkReport runBenchmark(
            BenchmarkArguments arguments, PrintStream err, BenchmarkWorkspace workplace) throws Exception {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Duration warmUp = arguments.warmUp();
        return switch (arguments.command()) {
            case "sandbox" ->
                new SandboxRun(warmUp, arguments.peersDirectory(), err, workplace).run(now, describeMachine());
            case "parts" -> new MicrobenchmarkRun(warmUp, MicrobenchmarkRun.BATCHES, err).run(now, describeMachine());
            case "growth" ->
                new GrowthRun(arguments.storedCounts(), layout(), javaOptions(), warmUp, err, workplace)
                        .run(now, describeMachine());
            default ->
                new ServiceRun(
                                BenchmarkSize.of(arguments.command()),
                                arguments.selectedRows(),
                                layout(),
                                javaOptions(),
                                warmUp,
                                err,
                                workplace)
                        .run(now, describeMachine());
        };
    }

    private static Path layout() {
        return variable("SALLYPORT_SERVER")
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("sallyport.home", ""), "web", "target", "server"))
                .toAbsolutePath();
    }

    private static List<String> javaOptions() {
        return variable("SALLYPORT_JAVA_OPTS")
                .map(options -> Arrays.asList(options.split("\\s+")))
                .orElse(List.of());
    }

    private static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(name)).map(String::strip).filter(value -> !value.isEmpty());
    }

    /** Describes the Java VM, the operating system, the processors and the load, because the figures depend on them. */
    private static String describeMachine() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return String.format(
                Locale.ROOT,
                "Java %s, %s, %d processors, load average before the run %s",
                System.getProperty("java.version"),
                System.getProperty("os.name"),
                Runtime.getRuntime().availableProcessors(),
                load < 0 ? "unknown" : String.format(Locale.ROOT, "%.1f", load));
    }
}
