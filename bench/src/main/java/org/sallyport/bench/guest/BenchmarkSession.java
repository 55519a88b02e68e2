package org.sallyport.bench.guest;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.Toolbox;

/** One session. Its calls are answered immediately with their arguments, or never. */
final class BenchmarkSession implements SessionListener {
    static final String TENANT = "bench";
    private static final Toolbox TOOLS = new Toolbox(List.of(new GuestTool("demo", "echo")), List.of());
    private static final SessionLimits LIMITS =
            new SessionLimits(30_000, 64 << 20, 1_000, 32, 200_000, 1 << 20, 256 << 10, 1_000, 100, 10 << 20, 1_000);
    private static final long TIMEOUT_SECONDS = 60;
    private static final String SEED = "bench";

    private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();
    private final CompletableFuture<Void> called = new CompletableFuture<>();
    private final CompletableFuture<SessionResult> ended = new CompletableFuture<>();
    private final boolean answersCalls;
    private final StringBuffer log = new StringBuffer();

    private BenchmarkSession(boolean answers) {
        this.answersCalls = answers;
    }

    /** @param answers whether calls are answered */
    static BenchmarkSession start(Sandbox sandbox, Script script, long number, boolean answers) {
        return start(sandbox, script, number, answers, ReplayState.NONE);
    }

    private static BenchmarkSession start(
            Sandbox sandbox, Script script, long number, boolean answers, ReplayState past) {
        BenchmarkSession run = new BenchmarkSession(answers);
        String args = "{\"n\":" + number + "}";
        SessionRequest request = new SessionRequest(
                "bench/" + number, TENANT, script, args, "{}", LIMITS, TOOLS, "{}", SandboxDebugMode.NONE, past, 0);
        run.session.complete(sandbox.start(request, run));
        return run;
    }

    /** Runs a script that makes this number of calls. Returns the replay state for a repetition. */
    static ReplayState recordReplayState(Sandbox sandbox, Script script, long calls) throws Exception {
        BenchmarkSession run = start(sandbox, script, 0, true, ReplayState.of(SEED));
        run.awaitEnd();
        return new ReplayState(SEED, run.log.toString(), calls);
    }

    /** Runs a script that returns its number plus one. Returns the nanoseconds from start to end. */
    static long runOnce(Sandbox sandbox, Script script, long number) throws Exception {
        return runOnce(sandbox, script, number, ReplayState.NONE);
    }

    /** Runs a script in the same way with a replay state. */
    static long runOnce(Sandbox sandbox, Script script, long number, ReplayState past) throws Exception {
        long startNanos = System.nanoTime();
        SessionResult end = start(sandbox, script, number, true, past).awaitEnd();
        long took = System.nanoTime() - startNanos;
        if (!end.equals(new SessionResult.ScriptReturned(Long.toString(number + 1)))) {
            throw new WrongResultException("run " + number + " ended as " + end);
        }
        return took;
    }

    SessionResult awaitEnd() throws Exception {
        return ended.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns when the script has made its first call. */
    void awaitCall() throws Exception {
        called.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    void cancel() {
        session.thenAccept(SandboxSession::cancel);
    }

    @Override
    public void onToolCall(long call, String backend, String tool, String arguments) {
        called.complete(null);
        if (answersCalls) {
            session.thenAccept(live -> live.resolve(call, arguments));
        }
    }

    @Override
    public void onOutput(OutputStreamKind stream, String text) {}

    @Override
    public void onOutputTruncated(OutputStreamKind stream) {}

    @Override
    public void onProgress(double fraction, String text) {}

    @Override
    public void onReplayLog(String more) {
        log.append(more);
    }

    @Override
    public void onEnded(SessionResult end) {
        called.complete(null);
        ended.complete(end);
    }
}
