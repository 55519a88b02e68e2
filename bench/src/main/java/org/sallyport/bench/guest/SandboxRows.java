package org.sallyport.bench.guest;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.Operation;
import org.sallyport.bench.measure.Turns;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Past;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.guest.InProcessSandbox;
import org.sallyport.sandbox.pool.WorkerSandbox;
import org.sallyport.sandbox.pool.WorkerSettings;
import org.sallyport.sandbox.tier.TieredSandbox;

/** The rows of the sandbox: a worker beside the same in this process, what waits, and what is read. */
public final class SandboxRows implements AutoCloseable {
    private static final int ROUNDS = 7;
    private static final Duration ROUND = Duration.ofMillis(300);
    private static final int WAITING = 1_000;
    private static final int PREPARED = 400;
    private static final int LINES = 30;
    private static final int REPLAYED = 100;
    private static final int REPLAYS = 10;
    private static final int BATCH = 100;
    private static final int BATCHES = 200;
    private static final double KILOBYTE = 1_000;
    private static final double MICROS = 1e3;

    private static final Script TRIVIAL = new Script("return args.n + 1", Language.JAVASCRIPT);
    private static final Script CALLS = new Script(
            "let n = args.n; for (let i = 0; i < 10; i++) n = (await demo.echo({ n })).n; return n + 1",
            Language.JAVASCRIPT);
    private static final Script HUNDRED_CALLS = new Script(
            "let n = args.n; for (let i = 0; i < 100; i++) n = (await demo.echo({ n })).n; return n + 1",
            Language.JAVASCRIPT);
    private static final Script WAITS = new Script("return await demo.echo({ waits: true })", Language.JAVASCRIPT);
    private static final Script ONE_CALL =
            new Script("const r = await demo.echo({ path: '/data', list: [1, 2] });\nreturn r;", Language.TYPESCRIPT);

    private final Sandbox worker;
    private final Sandbox inProcess = new InProcessSandbox(2);

    /** @param directory for the files of workers */
    public SandboxRows(Path directory) {
        worker = new WorkerSandbox(WorkerSettings.defaults(directory));
    }

    /** Lets both sandboxes meet their work before anything counts. */
    public void warmUp(Duration time) throws Exception {
        for (Sandbox sandbox : List.of(worker, inProcess)) {
            run(sandbox, TRIVIAL, time.dividedBy(4));
            run(sandbox, CALLS, time.dividedBy(4));
        }
    }

    /** S1: a trivial script. */
    public Row trivial() throws Exception {
        Turns turns = turns(TRIVIAL);
        Figure p50 = beside(turns, 0.7);
        double ratio = p50.beside().orElseThrow().ratio();
        return row(
                "S1",
                "trivial script in a warm worker, c=1",
                turns.load().count(),
                p50,
                new Figure("worker / in-process", ratio, "×", Target.atMost(1.2)));
    }

    /** S2: ten calls, one after the other, answered at once. */
    public Row calls() throws Exception {
        Turns turns = turns(CALLS);
        return row("S2", "script with 10 sequential calls, c=1", turns.load().count(), beside(turns, 2));
    }

    /** S3: live heap after a collection, of sessions that wait for a reply. */
    public Row waiting() throws Exception {
        run(inProcess, WAITS);
        long before = liveHeap();
        List<GuestRun> runs = new ArrayList<>();
        for (int i = 0; i < WAITING; i++) {
            runs.add(GuestRun.start(inProcess, WAITS, i, false));
        }
        for (GuestRun run : runs) {
            run.awaitCall();
        }
        double each = (liveHeap() - before) / KILOBYTE / WAITING;
        for (GuestRun run : runs) {
            run.cancel();
            SessionEnd end = run.end();
            if (!end.equals(new SessionEnd.Cancelled())) {
                throw new WrongResultException("a session that waited ended as " + end);
            }
        }
        return row("S3", "1,000 sessions waiting", WAITING, new Figure("heap each", each, "KB", Target.atMost(100)));
    }

    /** S4: reading TypeScript that was never read before, and the same again. */
    public Row preparation() throws Exception {
        ClosedLoop loop = new ClosedLoop(1);
        loop.times(PREPARED, number -> check(inProcess, typeScript(-number - 1)));
        Measured warm = loop.times(PREPARED, number -> check(inProcess, typeScript(number)));
        Script again = typeScript(PREPARED - 1);
        Measured cached = loop.times(PREPARED, number -> check(inProcess, again));
        return row(
                "S4",
                "preparing a 30-line TypeScript script",
                warm.count() + cached.count(),
                new Figure("warm p50", warm.latencies().p50(), "ms", Target.atMost(1)),
                new Figure("cached p50", cached.latencies().p50(), "ms", Target.atMost(0.1)));
    }

    /** S5: seeing that a script is one call. */
    public Row recognition() throws Exception {
        // Closed by nobody: it would close the sandbox that it leaves other scripts to.
        Sandbox tiers = new TieredSandbox(inProcess);
        Script json = new Script("{\"tool\": \"demo.echo\", \"arguments\": {\"a\": [1, 2, 3]}}", Language.JAVASCRIPT);
        return row(
                "S5",
                "recognising one call",
                2L * BATCH * BATCHES,
                new Figure("tier 1 p50", micros(tiers, json), "µs", Target.atMost(50)),
                new Figure("tier 2 p50", micros(tiers, ONE_CALL), "µs", Target.atMost(50)));
    }

    /** S6: repeating what was answered before, as after a crash; beside hearing it for the first time. */
    public Row replay() throws Exception {
        ClosedLoop loop = new ClosedLoop(1);
        Past past = GuestRun.past(worker, HUNDRED_CALLS, REPLAYED);
        Turns turns = Turns.take(
                ROUNDS,
                () -> loop.times(REPLAYS, number -> GuestRun.once(worker, HUNDRED_CALLS, number, past)),
                () -> loop.times(REPLAYS, number -> GuestRun.once(worker, HUNDRED_CALLS, number)));
        Beside first = new Beside(
                "first run",
                turns.floor().latencies().p50(),
                turns.ratio(round -> round.latencies().p50()));
        Figure p50 = new Figure("p50", turns.load().latencies().p50(), "ms", Target.atMost(50)).beside(first);
        return row(
                "S6", "repeating " + REPLAYED + " answered calls", turns.load().count(), p50);
    }

    private static double micros(Sandbox tiers, Script script) throws Exception {
        Operation batch = number -> {
            long sum = 0;
            for (int i = 0; i < BATCH; i++) {
                sum += check(tiers, script);
            }
            return sum / BATCH;
        };
        ClosedLoop loop = new ClosedLoop(1);
        loop.times(BATCHES, batch);
        return loop.times(BATCHES, batch).latencies().p50() * MICROS;
    }

    private static long check(Sandbox sandbox, Script script) throws Exception {
        long begin = System.nanoTime();
        Preparation verdict =
                sandbox.check(GuestRun.TENANT, script).toCompletableFuture().get();
        long took = System.nanoTime() - begin;
        if (!(verdict instanceof Preparation.Accepted)) {
            throw new WrongResultException("a script was refused: " + verdict);
        }
        return took;
    }

    /** So many lines of which no two scripts have the same. */
    private static Script typeScript(long number) {
        StringBuilder code = new StringBuilder("interface Item { name: string; size: number }\n");
        for (int line = 1; line < LINES - 1; line++) {
            code.append("const item%d: Item = { name: 'n%d', size: %d as number };%n".formatted(line, number, line));
        }
        return new Script(code.append("return item1.size;").toString(), Language.TYPESCRIPT);
    }

    private Turns turns(Script script) throws Exception {
        return Turns.take(ROUNDS, () -> run(worker, script, ROUND), () -> run(inProcess, script, ROUND));
    }

    private static Measured run(Sandbox sandbox, Script script, Duration time) throws Exception {
        return new ClosedLoop(1).during(time, number -> GuestRun.once(sandbox, script, number));
    }

    private static void run(Sandbox sandbox, Script script) throws Exception {
        GuestRun run = GuestRun.start(sandbox, script, 0, false);
        run.awaitCall();
        run.cancel();
        run.end();
    }

    private static Figure beside(Turns turns, double target) {
        return new Figure("p50", turns.load().latencies().p50(), "ms", Target.atMost(target))
                .beside(new Beside(
                        "in-process",
                        turns.floor().latencies().p50(),
                        turns.ratio(round -> round.latencies().p50())));
    }

    private static Row row(String id, String what, long operations, Figure... figures) {
        return new Row(id, what, operations, OptionalDouble.empty(), List.of(figures));
    }

    /** Some objects are let go by one collection and freed by the next. */
    private static long liveHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Override
    public void close() {
        worker.close();
        inProcess.close();
    }
}
