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
import org.sallyport.bench.report.JsonReport;
import org.sallyport.bench.report.Report;
import org.sallyport.bench.report.TextReport;
import org.sallyport.cli.local.StartException;

/** The command. Its exit code: 0 when all results were right, 1 when something was wrong, 2 when it was not understood. */
public final class Main {
    private static final int WRONG = 1;
    private static final int USAGE = 2;

    private Main() {}

    public static void main(String[] words) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(List.of(words), out, err));
    }

    private static int run(List<String> words, PrintStream out, PrintStream err) {
        Arguments arguments;
        try {
            arguments = Arguments.parse(words);
        } catch (IllegalArgumentException e) {
            err.println("bench: " + e.getMessage());
            err.print(Arguments.USAGE);
            return USAGE;
        }
        if (arguments.help()) {
            out.print(Arguments.USAGE);
            return 0;
        }
        return measure(arguments, out, err);
    }

    private static int measure(Arguments arguments, PrintStream out, PrintStream err) {
        boolean ending = false;
        try (Workplace workplace = new Workplace()) {
            try {
                Report report = report(arguments, err, workplace);
                out.print(TextReport.of(report));
                if (arguments.json().isPresent()) {
                    Files.writeString(arguments.json().get(), JsonReport.of(report));
                }
            } catch (Exception e) {
                // Whatever fails after a signal fails because of it.
                ending = workplace.closed();
                throw e;
            }
            return 0;
        } catch (StartException e) {
            err.println("bench: " + e.getMessage());
            e.advice().forEach(line -> err.println("  " + line));
        } catch (Exception e) {
            if (!ending) {
                err.println("bench: " + e);
                e.printStackTrace(err);
            }
        }
        return WRONG;
    }

    private static Report report(Arguments arguments, PrintStream err, Workplace workplace) throws Exception {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Duration warmUp = arguments.warmUp();
        return switch (arguments.command()) {
            case "sandbox" -> new SandboxRun(warmUp, arguments.peers(), err, workplace).run(now, machine());
            case "parts" -> new PartsRun(warmUp, PartsRun.BATCHES, err).run(now, machine());
            case "growth" ->
                new GrowthRun(arguments.stored(), layout(), javaOptions(), warmUp, err, workplace).run(now, machine());
            default ->
                new ServiceRun(
                                Extent.of(arguments.command()),
                                arguments.only(),
                                layout(),
                                javaOptions(),
                                warmUp,
                                err,
                                workplace)
                        .run(now, machine());
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

    /** What a reader must know to judge the figures. */
    private static String machine() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return String.format(
                Locale.ROOT,
                "Java %s, %s, %d processors, load before %s",
                System.getProperty("java.version"),
                System.getProperty("os.name"),
                Runtime.getRuntime().availableProcessors(),
                load < 0 ? "unknown" : String.format(Locale.ROOT, "%.1f", load));
    }
}
