package org.sallyport.execution;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;

/**
 * An execution that the claimer now holds, with everything needed to run it.
 *
 * @param fence the right to write
 * @param tenant whose it is
 * @param submitter who submitted it: the id of a caller
 * @param code the script
 * @param language its language
 * @param args its input
 * @param context its extra context
 * @param limits what it may use
 * @param grants globs of the tools it may call
 * @param debug how its author looks into it
 * @param durability whether it outlives its node
 * @param seed what all chance of the script comes from
 * @param remainingMillis wall-clock time left by the store's clock, in milliseconds
 * @param now what time it was by the store's clock
 * @param createdAt when it was accepted
 * @param lastSeq sequence number of the last trace event already stored, 0 when none
 * @param outputLength characters of stdout already stored
 * @param errorOutputLength characters of stderr already stored
 * @param rerun what it is a re-run of, if it is one
 * @param effects what becomes of its effects
 * @param outputSchema JSON Schema that its result must meet, if it runs a capability that has one
 * @param trace in which trace it runs, if it is in one
 * @param saveAs the name under which its script is kept once it has completed, if it is
 * @param readSharingBatch the batch with whose other executions it shares what it reads, if it does
 * @param capability which one it runs, if it runs one
 * @param parent whose call it answers, if it is nested
 * @param endsAtDeadline whether its time ends at a deadline of its own rather than with its wall-clock limit
 * @param concurrencyKey the key of which it has a turn until it ends, if it has one
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
        Optional<RerunOrigin> rerun,
        EffectMode effects,
        Optional<Json> outputSchema,
        Optional<TraceContext> trace,
        Optional<String> saveAs,
        Optional<BatchId> readSharingBatch,
        Optional<CapabilityRef> capability,
        Optional<ExecutionId> parent,
        boolean endsAtDeadline,
        Optional<String> concurrencyKey) {
    public ClaimedExecution {
        grants = List.copyOf(grants);
    }

    /** One whose result may be anything, outside of any trace. */
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
                rerun,
                effects,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty());
    }
}
