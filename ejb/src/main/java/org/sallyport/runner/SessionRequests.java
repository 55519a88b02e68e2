package org.sallyport.runner;

import org.sallyport.execution.Claim;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.Limits;
import org.sallyport.sandbox.Debug;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Past;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;

/** What a claimed execution starts its session with. */
final class SessionRequests {
    private SessionRequests() {}

    static SessionRequest of(Claim claim, Past past, RunContext context) {
        Limits limits = claim.limits();
        return new SessionRequest(
                claim.fence().toString(),
                claim.tenant(),
                new Script(claim.code(), Language.valueOf(claim.language().name())),
                claim.args().text(),
                claim.context().text(),
                new SessionLimits(
                        limits.cpuMillis(),
                        limits.heapBytes(),
                        limits.toolCalls(),
                        context.limits().concurrentCalls(),
                        limits.outputChars(),
                        context.limits().resultChars(),
                        context.limits().argumentChars(),
                        context.limits().timers(),
                        context.limits().artifacts(),
                        context.limits().artifactBytes(),
                        context.limits().events()),
                context.toolboxes().of(claim.grants()),
                "{}",
                Debug.valueOf(claim.debug().name()),
                past,
                parkMillis(claim, context));
    }

    /** What keeps no journal cannot be run again, and who debugs looks at the session. */
    private static long parkMillis(Claim claim, RunContext context) {
        return claim.durability() == Durability.JOURNAL && claim.debug() == DebugMode.NONE
                ? context.limits().park().toMillis()
                : 0;
    }
}
