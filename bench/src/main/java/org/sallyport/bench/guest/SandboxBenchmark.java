package org.sallyport.bench.guest;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.sallyport.bench.measure.AlternatingRuns;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.LoopResult;
import org.sallyport.bench.measure.TimedOperation;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.report.ReportRow;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.directcall.TieredSandbox;
import org.sallyport.sandbox.guest.InProcessSandbox;
import org.sallyport.sandbox.pool.WorkerSandbox;
import org.sallyport.sandbox.pool.WorkerSettings;

/**
 * Measures the rows of the sandbox: scripts in a worker compared with the same scripts in this process, sessions that
 * wait, checks of scripts, and replay.
 */
public final class SandboxBenchmark implements AutoCloseable {
    private static final int ROUNDS = 7;
    private static final Duration ROUND_TIME = Duration.ofMillis(300);
    private static final int WAITING_SESSIONS = 1_000;
    private static final int PREPARED_SCRIPTS = 400;
    private static final int LINES = 30;
    private static final int REPLAYED_CALLS = 100;
    private static final int REPLAYS = 10;
    private static final int BATCH = 100;
    private static final int BATCHES = 200;
    private static final double KILOBYTE = 1_000;
    private static final double MICROS_PER_MILLI = 1e3;

    private static final Script TRIVIAL = new Script("return args.n + 1", SourceLanguage.JAVASCRIPT);
    private static final Script CALLS = new Script(
            "let n = args.n; for (let i = 0; i < 10; i++) n = (await demo.echo({ n })).n; return n + 1",
            SourceLanguage.JAVASCRIPT);
    private static final Script HUNDRED_CALLS = new Script(
            "let n = args.n; for (let i = 0; i < 100; i++) n = (await demo.echo({ n })).n; return n + 1",
            SourceLanguage.JAVASCRIPT);
    private static final Script WAITS =
            new Script("return await demo.echo({ waits: true })", SourceLanguage.JAVASCRIPT);
    private static final Script ONE_CALL = new Script(
            "const r = await demo.echo({ path: '/data', list: [1, 2] });\nreturn r;", SourceLanguage.TYPESCRIPT);

    private final Sandbox worker;
    private final Sandbox inProcess = new InProcessSandbox(2);

    /** @param directory for the files of workers */
    public SandboxBenchmark(Path directory) {
        worker = new WorkerSandbox(WorkerSettings.defaults(directory));
    }

    /** Runs scripts in both sandboxes before the measurement. */
    public void warmUp(Duration time) throws Exception {
        for (Sandbox sandbox : List.of(worker, inProcess)) {
            run(sandbox, TRIVIAL, time.dividedBy(4));
            run(sandbox, CALLS, time.dividedBy(4));
        }
    }

    /** S1: a trivial script. */
    public ReportRow measureTrivial() throws Exception {
        AlternatingRuns turns = alternate(TRIVIAL);
        MeasuredValue p50 = compareInProcess(turns, 0.7);
        double ratio = p50.comparedWith().orElseThrow().ratio();
        return row(
                "S1",
                "trivial script in a warm worker, c=1",
                turns.loadTotal().count(),
                p50,
                new MeasuredValue("worker / in-process", ratio, "×", PerformanceTarget.atMost(1.2)));
    }

    /** S2: ten sequential calls, each answered immediately. */
    public ReportRow measureCalls() throws Exception {
        AlternatingRuns turns = alternate(CALLS);
        return row(
                "S2", "script with 10 sequential calls, c=1", turns.loadTotal().count(), compareInProcess(turns, 2));
    }

    /** S3: live heap, after a garbage collection, of sessions that wait for a reply. */
    public ReportRow measureWaiting() throws Exception {
        run(inProcess, WAITS);
        long before = liveHeap();
        List<BenchmarkSession> runs = new ArrayList<>();
        for (int i = 0; i < WAITING_SESSIONS; i++) {
            runs.add(BenchmarkSession.start(inProcess, WAITS, i, false));
        }
        for (BenchmarkSession run : runs) {
            run.awaitCall();
        }
        double each = (liveHeap() - before) / KILOBYTE / WAITING_SESSIONS;
        for (BenchmarkSession run : runs) {
            run.cancel();
            SessionResult end = run.awaitEnd();
            if (!end.equals(new SessionResult.SessionCancelled())) {
                throw new WrongResultException("a cancelled session ended as " + end);
            }
        }
        return row(
                "S3",
                "1,000 waiting sessions",
                WAITING_SESSIONS,
                new MeasuredValue("heap per session", each, "KB", PerformanceTarget.atMost(100)));
    }

    /** S4: checking TypeScript scripts that the sandbox has not checked before, and checking one of them again. */
    public ReportRow measurePreparation() throws Exception {
        ClosedLoop loop = new ClosedLoop(1);
        loop.runTimes(PREPARED_SCRIPTS, number -> timeCheck(inProcess, typeScript(-number - 1)));
        LoopResult warm = loop.runTimes(PREPARED_SCRIPTS, number -> timeCheck(inProcess, typeScript(number)));
        Script cachedScript = typeScript(PREPARED_SCRIPTS - 1);
        LoopResult cached = loop.runTimes(PREPARED_SCRIPTS, number -> timeCheck(inProcess, cachedScript));
        return row(
                "S4",
                "preparing a 30-line TypeScript script",
                warm.count() + cached.count(),
                new MeasuredValue("new script, p50", warm.latencies().p50(), "ms", PerformanceTarget.atMost(1)),
                new MeasuredValue("cached script, p50", cached.latencies().p50(), "ms", PerformanceTarget.atMost(0.1)));
    }

    /** S5: detecting that a script is a single call. */
    public ReportRow measureRecognition() throws Exception {
        // Not closed: that would close the sandbox to which it delegates.
        Sandbox tiers = new TieredSandbox(inProcess);
        Script json =
                new Script("{\"tool\": \"demo.echo\", \"arguments\": {\"a\": [1, 2, 3]}}", SourceLanguage.JAVASCRIPT);
        return row(
                "S5",
                "detecting a single call",
                2L * BATCH * BATCHES,
                new MeasuredValue("as JSON, p50", medianCheckMicros(tiers, json), "µs", PerformanceTarget.atMost(50)),
                new MeasuredValue(
                        "as a statement, p50", medianCheckMicros(tiers, ONE_CALL), "µs", PerformanceTarget.atMost(50)));
    }

    /** S6: replay of answered calls, as after a crash, compared with the first run of the same calls. */
    public ReportRow measureReplay() throws Exception {
        ClosedLoop loop = new ClosedLoop(1);
        ReplayState past = BenchmarkSession.recordReplayState(worker, HUNDRED_CALLS, REPLAYED_CALLS);
        AlternatingRuns turns = AlternatingRuns.run(
                ROUNDS,
                () -> loop.runTimes(REPLAYS, number -> BenchmarkSession.runOnce(worker, HUNDRED_CALLS, number, past)),
                () -> loop.runTimes(REPLAYS, number -> BenchmarkSession.runOnce(worker, HUNDRED_CALLS, number)));
        BaselineComparison first = new BaselineComparison(
                "first run",
                turns.baselineTotal().latencies().p50(),
                turns.medianRatio(round -> round.latencies().p50()));
        MeasuredValue p50 = new MeasuredValue(
                        "p50", turns.loadTotal().latencies().p50(), "ms", PerformanceTarget.atMost(50))
                .comparedWith(first);
        return row(
                "S6",
                "replay of " + REPLAYED_CALLS + " answered calls",
                turns.loadTotal().count(),
                p50);
    }

    private static double medianCheckMicros(Sandbox tiers, Script script) throws Exception {
        TimedOperation batch = number -> {
            long sum = 0;
            for (int i = 0; i < BATCH; i++) {
                sum += timeCheck(tiers, script);
            }
            return sum / BATCH;
        };
        ClosedLoop loop = new ClosedLoop(1);
        loop.runTimes(BATCHES, batch);
        return loop.runTimes(BATCHES, batch).latencies().p50() * MICROS_PER_MILLI;
    }

    private static long timeCheck(Sandbox sandbox, Script script) throws Exception {
        long startNanos = System.nanoTime();
        ScriptCheckResult verdict = sandbox.check(BenchmarkSession.TENANT, script)
                .toCompletableFuture()
                .get();
        long took = System.nanoTime() - startNanos;
        if (!(verdict instanceof ScriptCheckResult.ScriptAccepted)) {
            throw new WrongResultException("the sandbox rejected a script: " + verdict);
        }
        return took;
    }

    /** Returns a script of {@code LINES} lines. Scripts with different numbers have different declarations. */
    private static Script typeScript(long number) {
        StringBuilder code = new StringBuilder("interface Item { name: string; size: number }\n");
        for (int line = 1; line < LINES - 1; line++) {
            code.append("const item%d: Item = { name: 'n%d', size: %d as number };%n".formatted(line, number, line));
        }
        return new Script(code.append("return item1.size;").toString(), SourceLanguage.TYPESCRIPT);
    }

    private AlternatingRuns alternate(Script script) throws Exception {
        return AlternatingRuns.run(
                ROUNDS, () -> run(worker, script, ROUND_TIME), () -> run(inProcess, script, ROUND_TIME));
    }

    private static LoopResult run(Sandbox sandbox, Script script, Duration time) throws Exception {
        return new ClosedLoop(1).runFor(time, number -> BenchmarkSession.runOnce(sandbox, script, number));
    }

    private static void run(Sandbox sandbox, Script script) throws Exception {
        BenchmarkSession run = BenchmarkSession.start(sandbox, script, 0, false);
        run.awaitCall();
        run.cancel();
        run.awaitEnd();
    }

    private static MeasuredValue compareInProcess(AlternatingRuns turns, double target) {
        return new MeasuredValue("p50", turns.loadTotal().latencies().p50(), "ms", PerformanceTarget.atMost(target))
                .comparedWith(new BaselineComparison(
                        "in-process",
                        turns.baselineTotal().latencies().p50(),
                        turns.medianRatio(round -> round.latencies().p50())));
    }

    private static ReportRow row(String id, String what, long operations, MeasuredValue... figures) {
        return new ReportRow(id, what, operations, OptionalDouble.empty(), List.of(figures));
    }

    /** Collects several times: the objects that one collection makes unreachable are freed by the next. */
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
