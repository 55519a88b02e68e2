package org.sallyport.sandbox.pool;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Debug;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;

/**
 * Workers, and beside them workers for sessions under a debugger: these keep the network, so nothing else runs in them. They
 * are set up when the first such session comes. Thread-safe.
 */
public final class DebuggableSandbox implements Sandbox {
    private final WorkerSettings settings;
    private final Sandbox plain;
    private @Nullable Sandbox debugging;
    private boolean closed;

    /** Workers that start in the background. */
    public DebuggableSandbox(WorkerSettings settings) {
        this.settings = settings;
        plain = new WorkerSandbox(settings);
    }

    @Override
    public CompletionStage<Preparation> check(String tenant, Script script) {
        return plain.check(tenant, script);
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        boolean inspected = request.debug() == Debug.INSPECT || request.debug() == Debug.INSPECT_BREAK;
        return (inspected ? debugging() : plain).start(request, listener);
    }

    private synchronized Sandbox debugging() {
        Sandbox present = debugging;
        if (present == null && !closed) {
            present = new WorkerSandbox(settings.debugging());
            debugging = present;
        }
        // When closed, the plain one says so in its own way.
        return present == null ? plain : present;
    }

    @Override
    public synchronized SandboxStatus status() {
        SandboxStatus status = plain.status();
        if (debugging == null) {
            return status;
        }
        SandboxStatus beside = debugging.status();
        return new SandboxStatus(
                status.mode(),
                status.workers() + beside.workers(),
                status.warm(),
                status.sessions() + beside.sessions(),
                status.isolation(),
                status.missingIsolation());
    }

    @Override
    public void close() {
        Sandbox beside;
        synchronized (this) {
            closed = true;
            beside = debugging;
        }
        if (beside != null) {
            beside.close();
        }
        plain.close();
    }
}
