package org.sallyport.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.sallyport.bench.floor.BareBroker;
import org.sallyport.bench.floor.BareJdbc;
import org.sallyport.bench.floor.BareJms;
import org.sallyport.bench.mcp.McpEchoServer;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.BenchmarkReport;
import org.sallyport.bench.scenario.BatchSubmitBenchmark;
import org.sallyport.bench.scenario.BenchmarkResult;
import org.sallyport.bench.scenario.CancelBenchmark;
import org.sallyport.bench.scenario.ColdStartBenchmark;
import org.sallyport.bench.scenario.ConcurrentSubmitBenchmark;
import org.sallyport.bench.scenario.McpCallBenchmark;
import org.sallyport.bench.scenario.OverloadBenchmark;
import org.sallyport.bench.scenario.ParallelCallBenchmark;
import org.sallyport.bench.scenario.ParkedExecutionsBenchmark;
import org.sallyport.bench.scenario.RowBatchBenchmark;
import org.sallyport.bench.scenario.ServiceWarmUp;
import org.sallyport.bench.scenario.SingleCallBenchmark;
import org.sallyport.bench.scenario.SlowToolBenchmark;
import org.sallyport.bench.scenario.SubmitAndWaitBenchmark;
import org.sallyport.bench.scenario.SubmitBurstBenchmark;
import org.sallyport.bench.scenario.TestBed;
import org.sallyport.bench.scenario.ToolCallBenchmark;
import org.sallyport.bench.scenario.WorkerCrashBenchmark;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.BenchmarkScript;
import org.sallyport.bench.service.BenchmarkServer;
import org.sallyport.bench.service.StateCounts;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;

/** Measures the rows of the service one after the other. */
final class ServiceRun {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
    private static final int TOOL_CALLS = 60;
    private static final int COLUMNS = 120;
    private static final double MILLIS_PER_SECOND = 1e3;

    /** In the order of the table of targets. */
    static final List<String> ROWS =
            List.of("P1", "P2", "P3", "P4", "P5", "M1", "P6", "P7", "P8", "P9", "P11", "P12", "P13", "P14");

    private final BenchmarkSize size;
    private final Set<String> selectedRows;
    private final Path layout;
    private final Duration warmUp;
    private final List<String> javaOptions;
    private final PrintStream progress;
    private final BenchmarkWorkspace workspace;
    private final long startNanos = System.nanoTime();

    /**
     * @param extent sizes and durations of the measurements
     * @param only the rows to measure; empty for all rows
     * @param layout directory with the archives of the server
     * @param warmUp duration of the load that runs before any measurement
     * @param progress stream for progress messages
     */
    ServiceRun(
            BenchmarkSize extent,
            Set<String> only,
            Path layout,
            List<String> javaOptions,
            Duration warmUp,
            PrintStream progress,
            BenchmarkWorkspace workplace) {
        this.size = extent;
        this.selectedRows = Set.copyOf(only);
        this.layout = layout;
        this.javaOptions = List.copyOf(javaOptions);
        this.warmUp = warmUp;
        this.progress = progress;
        this.workspace = workplace;
    }

    /**
     * Starts the service and the baselines, measures the rows, and checks that no execution was lost. The workspace
     * stops the started processes.
     */
    BenchmarkReport run(Instant begunAt, String machine) throws Exception {
        BenchmarkServer service = start("data", options());
        BenchmarkClient client = new BenchmarkClient(service.url(), service.key());
        StateCounts before = StateCounts.fetch(client);
        client.run(BenchmarkScript.trivial(0)).expectResult(1);
        Duration first = elapsedSince(startNanos);

        printProgress("starting the baselines: broker and database");
        TestBed bed = startTestBed(service, client);
        printProgress("warm-up");
        ServiceWarmUp.run(bed, warmUp);
        BenchmarkResult all = measureRows(bed, first);
        printProgress("checking the states of all executions");
        checkStateCounts(client, StateCounts.fetch(client).minus(before));
        bed.jdbc().verifyRows();
        long submitted = client.submittedCount();
        // In a smoke run P13 takes as long as all other rows together, so it runs only if it is selected by name.
        if (selectedRows.contains("P13") || isSelected("P13") && !size.equals(BenchmarkSize.SMOKE)) {
            // The first service is no longer needed, and two services at the same time overload a small machine.
            service.close();
            printProgress("P13");
            BenchmarkServer limited = start("overload", overloadOptions());
            BenchmarkClient crowd = new BenchmarkClient(limited.url(), limited.key());
            all = BenchmarkResult.combine(all, OverloadBenchmark.measure(limited, crowd, size.overloadTime(), warmUp));
            submitted += crowd.submittedCount();
        }
        return new BenchmarkReport(
                size.name(),
                begunAt,
                elapsedSince(startNanos),
                submitted,
                machine + ", warm-up " + warmUp.toSeconds() + " s",
                all.rows(),
                all.baselines(),
                all.stages());
    }

    private BenchmarkServer start(String data, List<String> options) throws Exception {
        Terminal terminal = new Terminal(progress, progress, false, false, new TerminalStyle(COLUMNS, false, false));
        BenchmarkServer service =
                workspace.register(new BenchmarkServer(layout, workspace.createDirectory(data), options, terminal));
        service.start(START_TIMEOUT);
        return service;
    }

    /** Measures the slowest rows last: the longer the service runs, the more of its code is compiled. */
    private BenchmarkResult measureRows(TestBed bed, Duration first) throws Exception {
        BenchmarkResult manyAtOnce =
                measureRow("P2", () -> ConcurrentSubmitBenchmark.measure(bed, size.concurrentWindow()));
        BenchmarkResult toolCalls = measureRow(
                "P5", () -> ToolCallBenchmark.measure(bed, size.toolRounds(), TOOL_CALLS, size.bareJmsTime()));
        BenchmarkResult submitAndWait =
                measureRow("P1", () -> SubmitAndWaitBenchmark.measure(bed, size.sequentialWindow()));
        BenchmarkResult singleCalls = measureRow("P4", () -> SingleCallBenchmark.measure(bed, size.sequentialWindow()));
        BenchmarkResult mcpCalls = measureRow(
                "M1",
                () -> McpCallBenchmark.measure(
                        bed, echoServer(), size.toolRounds(), TOOL_CALLS, size.bareJmsTime(), warmUp));
        BenchmarkResult parallelCalls = measureRow("P6", () -> ParallelCallBenchmark.measure(bed, size.toolRounds()));
        BenchmarkResult burst = measureRow(
                "P3",
                () -> BenchmarkResult.combine(
                        SubmitBurstBenchmark.measure(bed, size.burstExecutions()),
                        BatchSubmitBenchmark.measure(bed, size.burstExecutions())));
        BenchmarkResult firstResult = measureRow("P11", () -> ColdStartBenchmark.measure(bed.service(), first));
        BenchmarkResult rows = measureRow("P14", () -> RowBatchBenchmark.measure(bed, size.rowExecutions()));
        BenchmarkResult slowCalls = measureRow("P7", () -> SlowToolBenchmark.measure(bed, size.concurrency()));
        Optional<ParkedExecutionsBenchmark> sleepers = Optional.empty();
        if (isSelected("P8")) {
            printProgress("P8");
            sleepers = Optional.of(ParkedExecutionsBenchmark.start(bed, size.sleepSettings()));
        }
        BenchmarkResult endless = measureRow("P12", () -> CancelBenchmark.measure(bed, size.cancels()));
        BenchmarkResult woken = BenchmarkResult.EMPTY;
        if (sleepers.isPresent()) {
            printProgress("P8, waiting for wake-ups");
            woken = sleepers.get().awaitWaking();
        }
        BenchmarkResult crashes = measureRow("P9", () -> WorkerCrashBenchmark.measure(bed, size.workerCrashes()));
        return BenchmarkResult.combine(
                submitAndWait,
                manyAtOnce,
                burst,
                singleCalls,
                toolCalls,
                mcpCalls,
                parallelCalls,
                slowCalls,
                woken,
                crashes,
                firstResult,
                endless,
                rows);
    }

    private McpCallBenchmark.McpServerProgram echoServer() throws IOException {
        return new McpCallBenchmark.McpServerProgram(
                McpEchoServer.command(workspace.createDirectory("mcp")),
                McpEchoServer.READ_ONLY_TOOL,
                McpEchoServer.WRITING_TOOL);
    }

    private BenchmarkResult measureRow(String id, Callable<BenchmarkResult> measured) throws Exception {
        if (!isSelected(id)) {
            return BenchmarkResult.EMPTY;
        }
        printProgress(id);
        return measured.call();
    }

    private boolean isSelected(String id) {
        return selectedRows.isEmpty() || selectedRows.contains(id);
    }

    private List<String> options() {
        List<String> options = new ArrayList<>();
        options.add("-Dsallyport.runner.park-after-millis=" + size.parkAfter().toMillis());
        options.addAll(javaOptions);
        return options;
    }

    private List<String> overloadOptions() {
        List<String> options = new ArrayList<>();
        OverloadBenchmark.SETTINGS.forEach((setting, value) -> options.add("-D" + setting + "=" + value));
        options.addAll(javaOptions);
        return options;
    }

    private TestBed startTestBed(BenchmarkServer service, BenchmarkClient client) throws Exception {
        workspace.register(BareBroker.start(layout.resolve("artemis.rar"), workspace.createDirectory("broker")));
        BareJms jms = workspace.register(BareJms.connect());
        BareJdbc jdbc = workspace.register(BareJdbc.open(workspace.createDirectory("database")));
        return new TestBed(service, client, jdbc, jms);
    }

    /** Checks that each submitted execution is listed once and has the expected state. */
    private void checkStateCounts(BenchmarkClient client, StateCounts census) throws WrongResultException {
        long cancelled = isSelected("P12") ? size.cancels() : 0;
        long parked = isSelected("P8") ? size.sleepSettings().parkedExecutions() : 0;
        Map<String, Long> expected = new TreeMap<>(Map.of(
                "COMPLETED", client.submittedCount() - cancelled - parked, "CANCELLED", cancelled, "WAITING", parked));
        expected.values().removeIf(count -> count == 0);
        if (!census.byState().equals(expected)) {
            throw new WrongResultException(
                    "the service lists the states " + census.byState() + " instead of " + expected);
        }
    }

    private void printProgress(String what) {
        progress.printf(
                Locale.ROOT, "bench: %4.1f s  %s%n", elapsedSince(startNanos).toMillis() / MILLIS_PER_SECOND, what);
    }

    private static Duration elapsedSince(long moment) {
        return Duration.ofNanos(System.nanoTime() - moment);
    }
}
