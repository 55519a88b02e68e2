package org.sallyport.runner;

import java.util.List;
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.sandbox.ExactNumberEncoder;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.TestScript;
import org.sallyport.tool.Json;

/** Creates the session request of a claimed execution. */
final class SessionRequestFactory {
    private SessionRequestFactory() {}

    /**
     * @param env the variables that the script sees, a JSON object of texts
     * @param ownWorker whether no other session may share the worker
     */
    static SessionRequest create(
            ClaimedExecution claim, Json env, ReplayState past, EngineServices context, boolean ownWorker) {
        ExecutionLimits limits = claim.limits();
        Script script =
                new Script(claim.code(), SourceLanguage.valueOf(claim.language().name()));
        SessionRequest request = new SessionRequest(
                claim.fence().toString(),
                claim.tenant(),
                script,
                ExactNumberEncoder.encode(claim.args().text()),
                ExactNumberEncoder.encode(claim.context().text()),
                new SessionLimits(
                        limits.cpuMillis(),
                        limits.heapBytes(),
                        limits.toolCalls(),
                        limits.additional(
                                AdditionalLimit.CONCURRENT_CALLS,
                                context.limits().concurrentCalls()),
                        limits.outputChars(),
                        limits.additional(
                                AdditionalLimit.RESULT_CHARS, context.limits().resultChars()),
                        limits.additional(
                                AdditionalLimit.ARGUMENT_CHARS, context.limits().argumentChars()),
                        limits.additional(
                                AdditionalLimit.TIMERS, context.limits().timers()),
                        limits.additional(
                                AdditionalLimit.ARTIFACTS, context.limits().artifacts()),
                        limits.additional(
                                AdditionalLimit.ARTIFACT_BYTES, context.limits().artifactBytes()),
                        limits.additional(
                                AdditionalLimit.EVENTS, context.limits().events())),
                context.toolboxes().forGrants(visibleTools(script, claim)),
                env.text(),
                SandboxDebugMode.valueOf(claim.debug().name()),
                past,
                parkMillis(claim, context));
        SessionRequest placed = context.sandboxes().selectsInProcess(claim.tenant(), claim.sandbox())
                ? request.withInProcess()
                : request;
        return ownWorker ? placed.withOwnWorker() : placed;
    }

    /**
     * Returns globs of the tools that the script sees. A test script sees all tools, because it may mock tools that it
     * may not call. The authorizer decides separately whether a call is allowed.
     */
    private static List<String> visibleTools(Script script, ClaimedExecution claim) {
        return TestScript.parse(script).isPresent() ? List.of("*") : claim.grants();
    }

    /**
     * Returns the park threshold in milliseconds. It is 0, which disables parking, without a journal, because the
     * script cannot run again, and in debug mode, because the author is inspecting the session.
     */
    static long parkMillis(ClaimedExecution claim, EngineServices context) {
        return claim.durability() == Durability.JOURNAL && claim.debug() == DebugMode.NONE
                ? context.limits().parkAfter().toMillis()
                : 0;
    }
}
