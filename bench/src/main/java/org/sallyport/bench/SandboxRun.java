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
import org.sallyport.bench.guest.PeerPrograms;
import org.sallyport.bench.guest.SandboxBenchmark;
import org.sallyport.bench.report.BaselineRow;
import org.sallyport.bench.report.BenchmarkReport;
import org.sallyport.bench.report.ReportRow;

/** Measures the sandbox without a service, in less than a minute. */
final class SandboxRun {
    private final Duration warmUp;
    private final Optional<Path> peers;
    private final PrintStream progress;
    private final BenchmarkWorkspace workspace;
    private final long startNanos = System.nanoTime();

    /** @param peers directory with the programs of other script engines */
    SandboxRun(Duration warmUp, Optional<Path> peers, PrintStream progress, BenchmarkWorkspace workplace) {
        this.warmUp = warmUp;
        this.peers = peers;
        this.progress = progress;
        this.workspace = workplace;
    }

    BenchmarkReport run(Instant begunAt, String machine) throws Exception {
        // The engine in this process must have the same settings as the engine of a worker.
        System.setProperty("truffle.UseFallbackRuntime", "true");
        System.setProperty("polyglotimpl.AttachLibraryFailureAction", "ignore");
        SandboxBenchmark sandbox = workspace.register(new SandboxBenchmark(workspace.createDirectory("workers")));
        printProgress("warm-up");
        sandbox.warmUp(warmUp);
        List<ReportRow> rows = new ArrayList<>();
        printProgress("S1");
        rows.add(sandbox.measureTrivial());
        printProgress("S2");
        rows.add(sandbox.measureCalls());
        printProgress("S3");
        rows.add(sandbox.measureWaiting());
        printProgress("S4");
        rows.add(sandbox.measurePreparation());
        printProgress("S5");
        rows.add(sandbox.measureRecognition());
        printProgress("S6");
        rows.add(sandbox.measureReplay());
        long operations = rows.stream().mapToLong(ReportRow::operations).sum();
        return new BenchmarkReport(
                "sandbox",
                begunAt,
                Duration.ofNanos(System.nanoTime() - startNanos),
                operations,
                machine + ", warm-up " + warmUp.toSeconds() + " s",
                rows,
                measurePeers(),
                List.of());
    }

    private List<BaselineRow> measurePeers() throws IOException, InterruptedException {
        if (peers.isEmpty()) {
            return List.of();
        }
        printProgress("other sandboxes");
        return new PeerPrograms(peers.get().toAbsolutePath(), workspace.createDirectory("peers")).measure();
    }

    private void printProgress(String what) {
        progress.printf(Locale.ROOT, "bench: %4.1f s  %s%n", (System.nanoTime() - startNanos) / 1e9, what);
    }
}
