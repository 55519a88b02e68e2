package org.sallyport.bench.guest;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.sandbox.Debug;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.Past;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.Toolbox;

/** One session; its calls are answered at once with their arguments, or never. */
final class GuestRun implements SessionListener {
    static final String TENANT = "bench";
    private static final Toolbox TOOLS = new Toolbox(List.of(new GuestTool("demo", "echo")), List.of());
    private static final SessionLimits LIMITS =
            new SessionLimits(30_000, 64 << 20, 1_000, 32, 200_000, 1 << 20, 256 << 10, 1_000, 100, 10 << 20, 1_000);
    private static final long PATIENCE_SECONDS = 60;
    private static final String SEED = "bench";

    private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();
    private final CompletableFuture<Void> called = new CompletableFuture<>();
    private final CompletableFuture<SessionEnd> ended = new CompletableFuture<>();
    private final boolean answers;
    private final StringBuffer log = new StringBuffer();

    private GuestRun(boolean answers) {
        this.answers = answers;
    }

    /** @param answers whether its calls get an answer */
    static GuestRun start(Sandbox sandbox, Script script, long number, boolean answers) {
        return start(sandbox, script, number, answers, Past.NONE);
    }

    private static GuestRun start(Sandbox sandbox, Script script, long number, boolean answers, Past past) {
        GuestRun run = new GuestRun(answers);
        String args = "{\"n\":" + number + "}";
        SessionRequest request = new SessionRequest(
                "bench/" + number, TENANT, script, args, "{}", LIMITS, TOOLS, "{}", Debug.NONE, past, 0);
        run.session.complete(sandbox.start(request, run));
        return run;
    }

    /** Runs a script that makes so many calls; what a run that repeats it begins with. */
    static Past past(Sandbox sandbox, Script script, long calls) throws Exception {
        GuestRun run = start(sandbox, script, 0, true, Past.of(SEED));
        run.end();
        return new Past(SEED, run.log.toString(), calls);
    }

    /** Runs a script that gives the number after its own; nanoseconds from its start to its end. */
    static long once(Sandbox sandbox, Script script, long number) throws Exception {
        return once(sandbox, script, number, Past.NONE);
    }

    /** As without a past, for one that repeats it. */
    static long once(Sandbox sandbox, Script script, long number, Past past) throws Exception {
        long begin = System.nanoTime();
        SessionEnd end = start(sandbox, script, number, true, past).end();
        long took = System.nanoTime() - begin;
        if (!end.equals(new SessionEnd.Returned(Long.toString(number + 1)))) {
            throw new WrongResultException("run " + number + " ended as " + end);
        }
        return took;
    }

    SessionEnd end() throws Exception {
        return ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns when the script has made its first call. */
    void awaitCall() throws Exception {
        called.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    void cancel() {
        session.thenAccept(SandboxSession::cancel);
    }

    @Override
    public void called(long call, String backend, String tool, String arguments) {
        called.complete(null);
        if (answers) {
            session.thenAccept(live -> live.resolve(call, arguments));
        }
    }

    @Override
    public void printed(OutputStreamKind stream, String text) {}

    @Override
    public void truncated(OutputStreamKind stream) {}

    @Override
    public void progressed(double fraction, String text) {}

    @Override
    public void recorded(String more) {
        log.append(more);
    }

    @Override
    public void ended(SessionEnd end) {
        called.complete(null);
        ended.complete(end);
    }
}
