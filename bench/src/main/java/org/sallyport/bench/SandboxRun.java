package org.sallyport.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.bench.guest.Peers;
import org.sallyport.bench.guest.SandboxRows;
import org.sallyport.bench.report.Floor;
import org.sallyport.bench.report.Report;
import org.sallyport.bench.report.Row;

/** The sandbox alone, without a service, in less than a minute. */
final class SandboxRun {
    private final Duration warmUp;
    private final Optional<Path> peers;
    private final PrintStream progress;
    private final Workplace workplace;
    private final long begin = System.nanoTime();

    /** @param peers where the programs of others lie */
    SandboxRun(Duration warmUp, Optional<Path> peers, PrintStream progress, Workplace workplace) {
        this.warmUp = warmUp;
        this.peers = peers;
        this.progress = progress;
        this.workplace = workplace;
    }

    Report run(Instant begunAt, String machine) throws Exception {
        // The engine in this process is to be what a worker's is.
        System.setProperty("truffle.UseFallbackRuntime", "true");
        System.setProperty("polyglotimpl.AttachLibraryFailureAction", "ignore");
        SandboxRows sandbox = workplace.keep(new SandboxRows(workplace.directory("workers")));
        say("warm-up");
        sandbox.warmUp(warmUp);
        List<Row> rows = new ArrayList<>();
        say("S1");
        rows.add(sandbox.trivial());
        say("S2");
        rows.add(sandbox.calls());
        say("S3");
        rows.add(sandbox.waiting());
        say("S4");
        rows.add(sandbox.preparation());
        say("S5");
        rows.add(sandbox.recognition());
        say("S6");
        rows.add(sandbox.replay());
        long operations = rows.stream().mapToLong(Row::operations).sum();
        return new Report(
                "sandbox",
                begunAt,
                Duration.ofNanos(System.nanoTime() - begin),
                operations,
                machine + ", warm-up " + warmUp.toSeconds() + " s",
                rows,
                besides(),
                List.of());
    }

    private List<Floor> besides() throws IOException, InterruptedException {
        if (peers.isEmpty()) {
            return List.of();
        }
        say("peers");
        return new Peers(peers.get().toAbsolutePath(), workplace.directory("peers")).measure();
    }

    private void say(String what) {
        progress.printf(Locale.ROOT, "bench: %4.1f s  %s%n", (System.nanoTime() - begin) / 1e9, what);
    }
}
