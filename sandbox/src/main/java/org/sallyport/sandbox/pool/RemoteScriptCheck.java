package org.sallyport.sandbox.pool;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.ProtocolException;

/**
 * The check of one script by a worker. Some scripts crash the worker that parses them: a script that is suspected twice
 * is rejected. A check that only waited behind such a script is repeated on another worker, up to 20 attempts in total.
 */
final class RemoteScriptCheck implements WorkerTask {
    private static final int MAX_SUSPICIONS = 2;
    private static final int MAX_ATTEMPTS = 20;

    private final WorkerSandbox pool;
    private final String tenant;
    private final Script script;
    private final boolean withReferences;
    private final CompletableFuture<CheckedScript> result = new CompletableFuture<>();
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger suspicions = new AtomicInteger();
    private volatile long startedNanos = System.nanoTime();

    /** @param withReferences whether the worker also finds the names that the script refers to */
    RemoteScriptCheck(WorkerSandbox pool, String tenant, Script script, boolean withReferences) {
        this.pool = pool;
        this.tenant = tenant;
        this.script = script;
        this.withReferences = withReferences;
    }

    Frame.CheckFrame toFrame(long number) {
        return new Frame.CheckFrame(number, script, withReferences);
    }

    CompletableFuture<CheckedScript> result() {
        return result;
    }

    /** Completes the result with that of a worker. All names of the script have fewer characters than the script. */
    void complete(CheckedScript checked) throws ProtocolException {
        ScriptReferences references = checked.references();
        boolean expected = withReferences
                ? references.chars() <= script.code().length()
                : references.paths().isEmpty() && references.modules().isEmpty();
        if (!expected) {
            throw new ProtocolException("impossible references of a script");
        }
        result.complete(new CheckedScript(TextLimits.truncateTexts(checked.result()), references));
    }

    long startedNanos() {
        return startedNanos;
    }

    @Override
    public String tenant() {
        return tenant;
    }

    @Override
    public boolean needsOwnWorker() {
        return false;
    }

    @Override
    public boolean isDone() {
        return result.isDone();
    }

    @Override
    public void runOn(Worker worker, long number) {
        attempts.incrementAndGet();
        startedNanos = System.nanoTime();
        worker.check(this, number);
    }

    @Override
    public void onWorkerLost(SessionResult end) {
        if (end instanceof SessionResult.SessionLost lost
                && lost.reason() == SessionResult.SessionLossReason.UNAVAILABLE) {
            result.completeExceptionally(new SandboxUnavailableException(lost.message()));
            return;
        }
        boolean suspect = end instanceof SessionResult.SessionLost lost && lost.suspect();
        if ((suspect ? suspicions.incrementAndGet() : suspicions.get()) < MAX_SUSPICIONS
                && attempts.get() < MAX_ATTEMPTS) {
            pool.schedule(this);
        } else {
            result.complete(new CheckedScript(
                    new ScriptCheckResult.ScriptRejected("The script cannot be parsed", 0, 0, ""),
                    ScriptReferences.NONE));
        }
    }
}
