package org.sallyport.sandbox.guest;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;

/**
 * Runs scripts inside this process. Use it for trusted authors and for debugging only: some code cannot be stopped,
 * memory is not monitored, and a script that exhausts the heap takes down the process. Thread-safe.
 */
public final class InProcessSandbox implements Sandbox {
    private final GuestRuntime runtime;
    private volatile boolean closed;

    /** @param carriers threads that guest code computes on */
    public InProcessSandbox(int carriers) {
        runtime = new GuestRuntime(new GuestSettings(carriers, false, null), () -> {});
    }

    @Override
    public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
        if (closed) {
            return CompletableFuture.failedStage(new SandboxUnavailableException("The sandbox is closed"));
        }
        return runtime.check(script);
    }

    @Override
    public CompletionStage<ScriptReferences> findReferences(String tenant, Script script) {
        if (closed) {
            return CompletableFuture.failedStage(new SandboxUnavailableException("The sandbox is closed"));
        }
        return runtime.checkWithReferences(script).thenApply(CheckedScript::references);
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        GuestSession session = runtime.start(request, listener);
        if (closed) {
            session.stop(new SessionResult.SessionLost(
                    SessionResult.SessionLossReason.UNAVAILABLE, "The sandbox is closed"));
        }
        return session;
    }

    @Override
    public SandboxStatus status() {
        return new SandboxStatus("inprocess", true, 0, 0, runtime.sessionCount(), List.of(), List.of());
    }

    @Override
    public void close() {
        closed = true;
        runtime.close();
    }
}
