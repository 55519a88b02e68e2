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
 * @param createdAt when it was accepted
 * @param lastSeq sequence number of the last trace event already stored, 0 when none
 * @param outLength characters of stdout already stored
 * @param errLength characters of stderr already stored
 * @param rerun what it is a re-run of, if it is one
 * @param effects what becomes of its effects
 * @param outputSchema JSON Schema that its result must meet, if it runs a capability that has one
 * @param trace in which trace it runs, if it is in one
 * @param keepAs the name under which its script is kept once it has completed, if it is
 */
public record Claim(
        Fence fence,
        String tenant,
        String code,
        ScriptLanguage language,
        Json args,
        Json context,
        Limits limits,
        List<String> grants,
        DebugMode debug,
        Durability durability,
        String seed,
        long remainingMillis,
        Instant createdAt,
        long lastSeq,
        long outLength,
        long errLength,
        Optional<Rerun> rerun,
        Effects effects,
        Optional<Json> outputSchema,
        Optional<TraceContext> trace,
        Optional<String> keepAs) {
    public Claim {
        grants = List.copyOf(grants);
    }

    /** One whose result may be anything, outside of any trace. */
    public Claim(
            Fence fence,
            String tenant,
            String code,
            ScriptLanguage language,
            Json args,
            Json context,
            Limits limits,
            List<String> grants,
            DebugMode debug,
            Durability durability,
            String seed,
            long remainingMillis,
            Instant createdAt,
            long lastSeq,
            long outLength,
            long errLength,
            Optional<Rerun> rerun,
            Effects effects) {
        this(
                fence,
                tenant,
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
                createdAt,
                lastSeq,
                outLength,
                errLength,
                rerun,
                effects,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
