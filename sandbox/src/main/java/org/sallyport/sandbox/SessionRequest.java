package org.sallyport.sandbox;

/**
 * All inputs of a new session.
 *
 * @param id name of the session in logs and problems; unique among live sessions (execution id and attempt)
 * @param tenant sessions of different tenants never share a worker, unless configured so
 * @param script the script to run
 * @param args the execution's input, JSON text
 * @param context the execution's extra context, JSON text
 * @param limits the limits of the session
 * @param toolbox the tools and modules that the script can use
 * @param env the variables that the script sees as {@code env}, a JSON object of texts
 * @param debugMode whether the session is debugged or profiled
 * @param replayState the recorded state of earlier runs of the execution
 * @param parkAfterMillis threshold in milliseconds: a session that waits only for its timers, this long or longer, or
 *     only for postponed answers, ends as {@link SessionResult.SessionParked}; 0 disables parking
 * @param needsOwnWorker whether no other session may share its worker
 * @param inProcess whether the session runs inside this process, if the sandbox allows that, and not in a worker
 */
public record SessionRequest(
        String id,
        String tenant,
        Script script,
        String args,
        String context,
        SessionLimits limits,
        Toolbox toolbox,
        String env,
        SandboxDebugMode debugMode,
        ReplayState replayState,
        long parkAfterMillis,
        boolean needsOwnWorker,
        boolean inProcess) {

    /** Creates a request for a worker that other sessions may share. */
    public SessionRequest(
            String id,
            String tenant,
            Script script,
            String args,
            String context,
            SessionLimits limits,
            Toolbox toolbox,
            String env,
            SandboxDebugMode debugMode,
            ReplayState replayState,
            long parkAfterMillis) {
        this(
                id,
                tenant,
                script,
                args,
                context,
                limits,
                toolbox,
                env,
                debugMode,
                replayState,
                parkAfterMillis,
                false,
                false);
    }

    /** Creates a request without variables, debugging, replay and parking. */
    public SessionRequest(
            String id,
            String tenant,
            Script script,
            String args,
            String context,
            SessionLimits limits,
            Toolbox toolbox) {
        this(id, tenant, script, args, context, limits, toolbox, "{}", SandboxDebugMode.NONE, ReplayState.NONE, 0);
    }

    /** Returns a copy whose session shares its worker with no other. */
    public SessionRequest withOwnWorker() {
        return copy(true, inProcess);
    }

    /** Returns a copy whose session runs inside this process, if the sandbox allows that. */
    public SessionRequest withInProcess() {
        return copy(needsOwnWorker, true);
    }

    private SessionRequest copy(boolean ownWorker, boolean inside) {
        return new SessionRequest(
                id,
                tenant,
                script,
                args,
                context,
                limits,
                toolbox,
                env,
                debugMode,
                replayState,
                parkAfterMillis,
                ownWorker,
                inside);
    }
}
