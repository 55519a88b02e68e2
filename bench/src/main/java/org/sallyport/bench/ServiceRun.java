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
import org.sallyport.bench.mcp.EchoServer;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Report;
import org.sallyport.bench.row.Burst;
import org.sallyport.bench.row.Crashes;
import org.sallyport.bench.row.EndlessScripts;
import org.sallyport.bench.row.FirstResult;
import org.sallyport.bench.row.ManyAtOnce;
import org.sallyport.bench.row.McpCalls;
import org.sallyport.bench.row.OneBatch;
import org.sallyport.bench.row.Overload;
import org.sallyport.bench.row.ParallelCalls;
import org.sallyport.bench.row.Result;
import org.sallyport.bench.row.SingleCalls;
import org.sallyport.bench.row.Sleepers;
import org.sallyport.bench.row.SlowCalls;
import org.sallyport.bench.row.SubmitAndWait;
import org.sallyport.bench.row.TestBed;
import org.sallyport.bench.row.ToolCalls;
import org.sallyport.bench.row.WarmUp;
import org.sallyport.bench.service.Census;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Script;
import org.sallyport.bench.service.StartedService;
import org.sallyport.cli.terminal.Look;
import org.sallyport.cli.terminal.Terminal;

/** The rows of the service, one after the other. */
final class ServiceRun {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int TOOL_CALLS = 60;
    private static final int COLUMNS = 120;
    private static final double MILLIS_PER_SECOND = 1e3;

    /** In the order of the table. */
    static final List<String> ROWS =
            List.of("P1", "P2", "P3", "P4", "P5", "M1", "P6", "P7", "P8", "P9", "P11", "P12", "P13");

    private final Extent extent;
    private final Set<String> only;
    private final Path layout;
    private final Duration warmUp;
    private final List<String> javaOptions;
    private final PrintStream progress;
    private final Workplace workplace;
    private final long begin = System.nanoTime();

    /**
     * @param extent how much of each
     * @param only the rows to measure; all where none is named
     * @param layout directory with the archives of the server
     * @param warmUp how long the service works before anything counts
     * @param progress where to say what is done
     */
    ServiceRun(
            Extent extent,
            Set<String> only,
            Path layout,
            List<String> javaOptions,
            Duration warmUp,
            PrintStream progress,
            Workplace workplace) {
        this.extent = extent;
        this.only = Set.copyOf(only);
        this.layout = layout;
        this.javaOptions = List.copyOf(javaOptions);
        this.warmUp = warmUp;
        this.progress = progress;
        this.workplace = workplace;
    }

    /** Starts what is measured, measures it, and checks that nothing was lost. What it started is left to the workplace. */
    Report run(Instant begunAt, String machine) throws Exception {
        StartedService service = start("data", options());
        Client client = new Client(service.url(), service.key());
        Census before = Census.take(client);
        client.run(Script.trivial(0)).expectResult(1);
        Duration first = since(begin);

        say("the bare broker and database");
        TestBed bed = bed(service, client);
        say("warm-up");
        WarmUp.run(bed, warmUp);
        Result all = rows(bed, first);
        say("counting");
        check(client, Census.take(client).since(before));
        bed.jdbc().check();
        long submitted = client.submitted();
        // It takes as long as all the others of a smoke run.
        if (only.contains("P13") || wanted("P13") && !extent.equals(Extent.SMOKE)) {
            // Nothing is asked of it any more, and two beside each other are much for a small machine.
            service.close();
            say("P13");
            StartedService limited = start("overload", limits());
            Client crowd = new Client(limited.url(), limited.key());
            all = Result.all(all, Overload.measure(limited, crowd, extent.overload(), warmUp));
            submitted += crowd.submitted();
        }
        return new Report(
                extent.name(),
                begunAt,
                since(begin),
                submitted,
                machine + ", warm-up " + warmUp.toSeconds() + " s",
                all.rows(),
                all.floors(),
                all.stages());
    }

    private StartedService start(String data, List<String> options) throws Exception {
        Terminal terminal = new Terminal(progress, progress, false, false, new Look(COLUMNS, false, false));
        StartedService service =
                workplace.keep(new StartedService(layout, workplace.directory(data), options, terminal));
        service.start(PATIENCE);
        return service;
    }

    /** The more the service has done, the more of it is compiled: what takes longest comes last. */
    private Result rows(TestBed bed, Duration first) throws Exception {
        Result manyAtOnce = row("P2", () -> ManyAtOnce.measure(bed, extent.manyAtATime()));
        Result toolCalls = row("P5", () -> ToolCalls.measure(bed, extent.toolRounds(), TOOL_CALLS, extent.bareJms()));
        Result submitAndWait = row("P1", () -> SubmitAndWait.measure(bed, extent.oneAtATime()));
        Result singleCalls = row("P4", () -> SingleCalls.measure(bed, extent.oneAtATime()));
        Result mcpCalls = row(
                "M1",
                () -> McpCalls.measure(bed, echoServer(), extent.toolRounds(), TOOL_CALLS, extent.bareJms(), warmUp));
        Result parallelCalls = row("P6", () -> ParallelCalls.measure(bed, extent.toolRounds()));
        Result burst =
                row("P3", () -> Result.all(Burst.measure(bed, extent.burst()), OneBatch.measure(bed, extent.burst())));
        Result firstResult = row("P11", () -> FirstResult.measure(bed.service(), first));
        Result slowCalls = row("P7", () -> SlowCalls.measure(bed, extent.crowd()));
        Optional<Sleepers> sleepers = Optional.empty();
        if (wanted("P8")) {
            say("P8");
            sleepers = Optional.of(Sleepers.begin(bed, extent.nap()));
        }
        Result endless = row("P12", () -> EndlessScripts.measure(bed, extent.cancels()));
        Result woken = Result.NOTHING;
        if (sleepers.isPresent()) {
            say("P8, the end");
            woken = sleepers.get().end();
        }
        Result crashes = row("P9", () -> Crashes.measure(bed, extent.crashes()));
        return Result.all(
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
                endless);
    }

    private McpCalls.Program echoServer() throws IOException {
        return new McpCalls.Program(
                EchoServer.command(workplace.directory("mcp")), EchoServer.READING, EchoServer.WRITING);
    }

    private Result row(String id, Callable<Result> measured) throws Exception {
        if (!wanted(id)) {
            return Result.NOTHING;
        }
        say(id);
        return measured.call();
    }

    private boolean wanted(String id) {
        return only.isEmpty() || only.contains(id);
    }

    private List<String> options() {
        List<String> options = new ArrayList<>();
        options.add("-Dsallyport.runner.park-after-millis=" + extent.parkAfter().toMillis());
        options.addAll(javaOptions);
        return options;
    }

    private List<String> limits() {
        List<String> options = new ArrayList<>();
        Overload.SETTINGS.forEach((setting, value) -> options.add("-D" + setting + "=" + value));
        options.addAll(javaOptions);
        return options;
    }

    private TestBed bed(StartedService service, Client client) throws Exception {
        workplace.keep(BareBroker.start(layout.resolve("artemis.rar"), workplace.directory("broker")));
        BareJms jms = workplace.keep(BareJms.connect());
        BareJdbc jdbc = workplace.keep(BareJdbc.open(workplace.directory("database")));
        return new TestBed(service, client, jdbc, jms);
    }

    /** Everything that was submitted is there once and is in the state in which it should be. */
    private void check(Client client, Census census) throws WrongResultException {
        long cancelled = wanted("P12") ? extent.cancels() : 0;
        long parked = wanted("P8") ? extent.nap().parked() : 0;
        Map<String, Long> expected = new TreeMap<>(Map.of(
                "COMPLETED", client.submitted() - cancelled - parked, "CANCELLED", cancelled, "WAITING", parked));
        expected.values().removeIf(count -> count == 0);
        if (!census.byState().equals(expected)) {
            throw new WrongResultException("the service lists " + census.byState() + " instead of " + expected);
        }
    }

    private void say(String what) {
        progress.printf(Locale.ROOT, "bench: %4.1f s  %s%n", since(begin).toMillis() / MILLIS_PER_SECOND, what);
    }

    private static Duration since(long moment) {
        return Duration.ofNanos(System.nanoTime() - moment);
    }
}
