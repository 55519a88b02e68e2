package org.sallyport.bench;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.sallyport.bench.floor.BareBroker;
import org.sallyport.bench.floor.BareJdbc;
import org.sallyport.bench.floor.BareJms;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Report;
import org.sallyport.bench.row.Burst;
import org.sallyport.bench.row.EndlessScripts;
import org.sallyport.bench.row.FirstResult;
import org.sallyport.bench.row.ManyAtOnce;
import org.sallyport.bench.row.Result;
import org.sallyport.bench.row.Stretch;
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

/** Every row once, in less than a minute. */
final class Smoke {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Stretch ONE_AT_A_TIME = new Stretch(5, Duration.ofMillis(600), Duration.ofMillis(120));
    private static final Stretch MANY_AT_A_TIME = new Stretch(3, Duration.ofMillis(700), Duration.ofMillis(200));
    private static final int BURST = 1_000;
    private static final int TOOL_ROUNDS = 3;
    private static final int TOOL_CALLS = 60;
    private static final Duration BARE_JMS = Duration.ofMillis(250);
    private static final int CANCELS = 5;
    private static final int COLUMNS = 120;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final Path layout;
    private final Duration warmUp;
    private final List<String> javaOptions;
    private final PrintStream progress;
    private final Workplace workplace;
    private final long begin = System.nanoTime();

    /**
     * @param layout directory with the archives of the server
     * @param warmUp how long the service works before anything counts
     * @param progress where to say what is done
     */
    Smoke(Path layout, List<String> javaOptions, Duration warmUp, PrintStream progress, Workplace workplace) {
        this.layout = layout;
        this.javaOptions = List.copyOf(javaOptions);
        this.warmUp = warmUp;
        this.progress = progress;
        this.workplace = workplace;
    }

    /** Starts what is measured, measures it, and checks that nothing was lost. What it started is left to the workplace. */
    Report run(Instant begunAt, String machine) throws Exception {
        Terminal terminal = new Terminal(progress, progress, false, false, new Look(COLUMNS, false, false));
        StartedService service =
                workplace.keep(new StartedService(layout, workplace.directory("data"), javaOptions, terminal));
        service.start(PATIENCE);
        Client client = new Client(service.url(), service.key());
        Census before = Census.take(client);
        client.run(Script.trivial(0)).expectResult(1);
        Duration first = since(begin);

        say("the bare broker and database");
        TestBed bed = bed(service, client);
        say("warm-up");
        WarmUp.run(bed, warmUp);
        // The more the service has done, the more of it is compiled: what takes longest comes last.
        say("P2");
        Result manyAtOnce = ManyAtOnce.measure(bed, MANY_AT_A_TIME);
        say("P5");
        Result toolCalls = ToolCalls.measure(bed, TOOL_ROUNDS, TOOL_CALLS, BARE_JMS);
        say("P1");
        Result submitAndWait = SubmitAndWait.measure(bed, ONE_AT_A_TIME);
        say("P3");
        Result burst = Burst.measure(bed, BURST);
        Result firstResult = FirstResult.measure(service, first);
        say("P12");
        Result endless = EndlessScripts.measure(bed, CANCELS);
        say("counting");
        check(client, Census.take(client).since(before));
        bed.jdbc().check();
        Result all = Result.all(submitAndWait, manyAtOnce, burst, toolCalls, firstResult, endless);
        return new Report(
                "smoke",
                begunAt,
                since(begin),
                client.submitted(),
                machine + ", warm-up " + warmUp.toSeconds() + " s",
                all.rows(),
                all.floors(),
                all.stages());
    }

    private TestBed bed(StartedService service, Client client) throws Exception {
        workplace.keep(BareBroker.start(layout.resolve("artemis.rar"), workplace.directory("broker")));
        BareJms jms = workplace.keep(BareJms.connect());
        BareJdbc jdbc = workplace.keep(BareJdbc.open(workplace.directory("database")));
        return new TestBed(service, client, jdbc, jms);
    }

    /** Everything that was submitted is there once and has ended as it should. */
    private static void check(Client client, Census census) throws WrongResultException {
        Map<String, Long> expected = Map.of("COMPLETED", client.submitted() - CANCELS, "CANCELLED", (long) CANCELS);
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
