package org.sallyport.runner;

import java.util.List;
import org.sallyport.execution.Claim;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.FurtherLimit;
import org.sallyport.execution.Limits;
import org.sallyport.sandbox.Debug;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Past;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.TestScript;

/** What a claimed execution starts its session with. */
final class SessionRequests {
    private SessionRequests() {}

    static SessionRequest of(Claim claim, Past past, RunContext context) {
        Limits limits = claim.limits();
        Script script =
                new Script(claim.code(), Language.valueOf(claim.language().name()));
        return new SessionRequest(
                claim.fence().toString(),
                claim.tenant(),
                script,
                claim.args().text(),
                claim.context().text(),
                new SessionLimits(
                        limits.cpuMillis(),
                        limits.heapBytes(),
                        limits.toolCalls(),
                        limits.further(
                                FurtherLimit.CONCURRENT_CALLS, context.limits().concurrentCalls()),
                        limits.outputChars(),
                        limits.further(
                                FurtherLimit.RESULT_CHARS, context.limits().resultChars()),
                        limits.further(
                                FurtherLimit.ARGUMENT_CHARS, context.limits().argumentChars()),
                        limits.further(FurtherLimit.TIMERS, context.limits().timers()),
                        limits.further(FurtherLimit.ARTIFACTS, context.limits().artifacts()),
                        limits.further(
                                FurtherLimit.ARTIFACT_BYTES, context.limits().artifactBytes()),
                        limits.further(FurtherLimit.EVENTS, context.limits().events())),
                context.toolboxes().of(found(script, claim)),
                "{}",
                Debug.valueOf(claim.debug().name()),
                past,
                parkMillis(claim, context));
    }

    /** Tests mock tools that they may not call: they find all there are. What may be called is for the bridge to say. */
    private static List<String> found(Script script, Claim claim) {
        return TestScript.in(script).isPresent() ? List.of("*") : claim.grants();
    }

    /** What keeps no journal cannot be run again, and who debugs looks at the session: 0. */
    static long parkMillis(Claim claim, RunContext context) {
        return claim.durability() == Durability.JOURNAL && claim.debug() == DebugMode.NONE
                ? context.limits().park().toMillis()
                : 0;
    }
}
