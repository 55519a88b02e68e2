package org.sallyport.sandbox;

/**
 * Everything a session starts with.
 *
 * @param id names the session in logs and problems; unique among live sessions (execution id and attempt)
 * @param tenant sessions of different tenants never share a worker, unless configured so
 * @param script what to run
 * @param args the execution's input, JSON text
 * @param context the execution's extra context, JSON text
 * @param limits what the session may use
 * @param toolbox the tools and modules the script finds
 * @param env the variables the script sees as {@code env}, a JSON object of texts
 * @param debugMode how the session is looked into
 * @param replayState what earlier runs of the execution heard
 * @param parkAfterMillis a session that waits for its timers alone, this long or longer, or for postponed answers, ends as {@link
 *     SessionResult.SessionParked}; 0 for one that stays
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
        long parkAfterMillis) {

    /** A request without variables, looked into by nobody, without a past. */
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
}
