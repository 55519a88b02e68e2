package org.sallyport.sandbox.pool;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;

/**
 * Runs normal sessions in one worker pool and sessions with a debugger in a second pool. Workers of the second pool
 * keep network access, so only debugged sessions run in them. The second pool is created for the first such session.
 * Thread-safe.
 */
public final class DebuggableSandbox implements Sandbox {
    private final WorkerSettings settings;
    private final Sandbox defaultSandbox;
    private @Nullable Sandbox debuggingSandbox;
    private boolean closed;

    /** Starts the default worker pool in the background. */
    public DebuggableSandbox(WorkerSettings settings) {
        this.settings = settings;
        defaultSandbox = new WorkerSandbox(settings);
    }

    @Override
    public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
        return defaultSandbox.check(tenant, script);
    }

    @Override
    public CompletionStage<ScriptReferences> findReferences(String tenant, Script script) {
        return defaultSandbox.findReferences(tenant, script);
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        boolean inspected = request.debugMode() == SandboxDebugMode.INSPECT
                || request.debugMode() == SandboxDebugMode.INSPECT_BREAK;
        return (inspected ? openDebuggingSandbox() : defaultSandbox).start(request, listener);
    }

    private synchronized Sandbox openDebuggingSandbox() {
        Sandbox present = debuggingSandbox;
        if (present == null && !closed) {
            present = new WorkerSandbox(settings.forDebugging());
            debuggingSandbox = present;
        }
        // After close, the default sandbox reports the refusal.
        return present == null ? defaultSandbox : present;
    }

    @Override
    public synchronized SandboxStatus status() {
        SandboxStatus status = defaultSandbox.status();
        if (debuggingSandbox == null) {
            return status;
        }
        SandboxStatus beside = debuggingSandbox.status();
        return new SandboxStatus(
                status.mode(),
                status.available(),
                status.workers() + beside.workers(),
                status.idleWorkers(),
                status.sessions() + beside.sessions(),
                status.isolation(),
                status.missingIsolation());
    }

    @Override
    public void close() {
        Sandbox beside;
        synchronized (this) {
            closed = true;
            beside = debuggingSandbox;
        }
        if (beside != null) {
            beside.close();
        }
        defaultSandbox.close();
    }
}
