package org.sallyport.execution;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;

/**
 * An execution that the claiming node now holds, with everything needed to run it.
 *
 * @param fence the fencing token of this claim
 * @param tenant the owning tenant
 * @param submitter id of the caller that submitted it
 * @param code the script
 * @param language the language of the script
 * @param args the arguments
 * @param context the additional context
 * @param limits its limits
 * @param grants globs of the tools it may call
 * @param debug the debug mode
 * @param durability whether it outlives its node
 * @param seed the seed of all randomness of the script
 * @param remainingMillis wall-clock time left by the store's clock, in milliseconds
 * @param now the time of the claim by the store's clock
 * @param createdAt when it was accepted
 * @param lastSeq sequence number of the last stored trace event, 0 when none
 * @param outputLength characters of stdout already stored
 * @param errorOutputLength characters of stderr already stored
 * @param journalBytes bytes of the journal already stored
 * @param rerun the origin, if this is a re-run
 * @param effects whether effects are real, listed or restricted to a plan
 * @param outputSchema JSON Schema that its result must satisfy, if it runs a capability with one
 * @param trace the trace context in which it runs, if any
 * @param saveAs the name under which its script is saved after it completes, if any
 * @param readSharingBatch the batch with whose executions it shares read-only calls, if any
 * @param capability the capability that it runs, if any
 * @param parent the execution whose call it answers, if it is nested
 * @param endsAtDeadline whether its time ends at its own deadline rather than with its wall-clock limit
 * @param concurrencyKey the concurrency key of which it holds a turn until it ends, if any
 * @param variables the variables that its script sees, if any
 * @param blockedAttempts the stored attempts of earlier runs that were refused
 * @param sandbox where the publisher of its capability wants it to run, if he chose that
 * @param nodeLosses how many earlier attempts were lost with their nodes
 */
public record ClaimedExecution(
        FencingToken fence,
        String tenant,
        String submitter,
        String code,
        ScriptLanguage language,
        Json args,
        Json context,
        ExecutionLimits limits,
        List<String> grants,
        DebugMode debug,
        Durability durability,
        String seed,
        long remainingMillis,
        Instant now,
        Instant createdAt,
        long lastSeq,
        long outputLength,
        long errorOutputLength,
        long journalBytes,
        Optional<RerunOrigin> rerun,
        EffectMode effects,
        Optional<Json> outputSchema,
        Optional<TraceContext> trace,
        Optional<String> saveAs,
        Optional<BatchId> readSharingBatch,
        Optional<CapabilityRef> capability,
        Optional<ExecutionId> parent,
        boolean endsAtDeadline,
        Optional<String> concurrencyKey,
        Optional<PinnedVariables> variables,
        BlockedAttempts blockedAttempts,
        Optional<CapabilitySandbox> sandbox,
        int nodeLosses) {
    public ClaimedExecution {
        grants = List.copyOf(grants);
    }

    /**
     * Creates an execution without output schema, trace, capability, parent, deadline, concurrency key, variables,
     * blocked attempts, sandbox and lost nodes.
     */
    public ClaimedExecution(
            FencingToken fence,
            String tenant,
            String submitter,
            String code,
            ScriptLanguage language,
            Json args,
            Json context,
            ExecutionLimits limits,
            List<String> grants,
            DebugMode debug,
            Durability durability,
            String seed,
            long remainingMillis,
            Instant now,
            Instant createdAt,
            long lastSeq,
            long outputLength,
            long errorOutputLength,
            Optional<RerunOrigin> rerun,
            EffectMode effects) {
        this(
                fence,
                tenant,
                submitter,
                code,
                language,
                args,
                context,
                limits,
                grants,
                debug,
                durability,
                seed,
                remainingMillis,
                now,
                createdAt,
                lastSeq,
                outputLength,
                errorOutputLength,
                0,
                rerun,
                effects,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty(),
                BlockedAttempts.NONE,
                Optional.empty(),
                0);
    }
}
