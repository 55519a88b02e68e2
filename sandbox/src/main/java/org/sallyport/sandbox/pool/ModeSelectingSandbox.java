package org.sallyport.sandbox.pool;

import java.util.concurrent.CompletionStage;
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
 * Runs the sessions that request it inside this process, and all others in workers. A session runs in a worker in spite
 * of its request if it is debugged, since a debugger can run any code; if it needs a worker of its own, since an
 * earlier worker died of it; or if too many sessions run inside this process. Thread-safe.
 */
public final class ModeSelectingSandbox implements Sandbox {
    /** From this number of sessions inside this process, further ones run in workers. */
    static final int MAX_IN_PROCESS_SESSIONS = 50;

    private final Sandbox workers;
    private final Sandbox inProcess;
    private volatile boolean closed;

    /**
     * Takes over both sandboxes, and closes them.
     *
     * @param inProcess the sandbox inside this process
     */
    public ModeSelectingSandbox(Sandbox workers, Sandbox inProcess) {
        this.workers = workers;
        this.inProcess = inProcess;
    }

    @Override
    public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
        return workers.check(tenant, script);
    }

    @Override
    public CompletionStage<ScriptReferences> findReferences(String tenant, Script script) {
        return workers.findReferences(tenant, script);
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        boolean inside = request.inProcess()
                && request.debugMode() == SandboxDebugMode.NONE
                && !request.needsOwnWorker()
                && !closed // after that, the workers report the refusal
                && inProcess.status().sessions() < MAX_IN_PROCESS_SESSIONS;
        return (inside ? inProcess : workers).start(request, listener);
    }

    @Override
    public SandboxStatus status() {
        SandboxStatus status = workers.status();
        return new SandboxStatus(
                status.mode(),
                status.available(),
                status.workers(),
                status.idleWorkers(),
                status.sessions() + inProcess.status().sessions(),
                status.isolation(),
                status.missingIsolation());
    }

    @Override
    public void close() {
        closed = true;
        inProcess.close();
        workers.close();
    }
}
