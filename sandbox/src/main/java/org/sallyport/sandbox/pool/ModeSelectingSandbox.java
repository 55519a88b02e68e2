package org.sallyport.sandbox.pool;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;

/**
 * Runs the sessions that request it inside this process, and all others in workers. The sandbox inside this process is
 * created for the first such session. Thread-safe.
 */
public final class ModeSelectingSandbox implements Sandbox {
    private final Sandbox workers;
    private final Supplier<Sandbox> inProcessFactory;
    private @Nullable Sandbox inProcess;
    private boolean closed;

    /** @param inProcess creates the sandbox inside this process; called at most once */
    public ModeSelectingSandbox(Sandbox workers, Supplier<Sandbox> inProcess) {
        this.workers = workers;
        this.inProcessFactory = inProcess;
    }

    @Override
    public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
        return workers.check(tenant, script);
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        return (request.inProcess() ? openInProcess() : workers).start(request, listener);
    }

    private synchronized Sandbox openInProcess() {
        Sandbox present = inProcess;
        if (present == null && !closed) {
            present = inProcessFactory.get();
            inProcess = present;
        }
        // After close, the workers report the refusal.
        return present == null || closed ? workers : present;
    }

    @Override
    public synchronized SandboxStatus status() {
        SandboxStatus status = workers.status();
        return inProcess == null
                ? status
                : new SandboxStatus(
                        status.mode(),
                        status.workers(),
                        status.idleWorkers(),
                        status.sessions() + inProcess.status().sessions(),
                        status.isolation(),
                        status.missingIsolation());
    }

    @Override
    public void close() {
        Sandbox beside;
        synchronized (this) {
            closed = true;
            beside = inProcess;
        }
        if (beside != null) {
            beside.close();
        }
        workers.close();
    }
}
