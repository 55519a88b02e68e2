package org.sallyport.execution;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;

/**
 * An execution about to be accepted.
 *
 * @param id its id
 * @param tenant whose it is
 * @param submitter id of the API key that submitted it
 * @param code the script, unchanged
 * @param language its language
 * @param tier the way it is run
 * @param args its input
 * @param context its extra context
 * @param limits what it may use
 * @param grants globs of the tools it may call, fixed now
 * @param labels the submitter's own marks
 * @param priority 0 (last) to 9 (first)
 * @param debug how its author looks into it
 * @param durability whether it outlives its node
 * @param intent why it runs, in the submitter's words
 * @param idempotencyKey the submitter's key against double submission
 * @param rerun what it is a re-run of, if it is one
 * @param effects what becomes of its effects
 * @param capability the published script that it runs, if it is one
 * @param callback where somebody is told that it has ended
 * @param trace in which trace it runs, if there are traces
 * @param cacheOptions what it takes over of what ran before, and leaves to what runs after it
 * @param admission when it may begin
 */
public record NewExecution(
        ExecutionId id,
        String tenant,
        String submitter,
        String code,
        ScriptLanguage language,
        ScriptTier tier,
        Json args,
        Json context,
        ExecutionLimits limits,
        List<String> grants,
        Map<String, String> labels,
        int priority,
        DebugMode debug,
        Durability durability,
        Optional<String> intent,
        Optional<IdempotencyKey> idempotencyKey,
        Optional<RerunOrigin> rerun,
        EffectMode effects,
        Optional<CapabilityBinding> capability,
        Optional<String> callback,
        Optional<TraceContext> trace,
        CacheOptions cacheOptions,
        AdmissionConstraints admission) {
    public NewExecution {
        grants = List.copyOf(grants);
        labels = Map.copyOf(labels);
    }

    /** One that takes over nothing and leaves nothing. */
    public NewExecution(
            ExecutionId id,
            String tenant,
            String submitter,
            String code,
            ScriptLanguage language,
            ScriptTier tier,
            Json args,
            Json context,
            ExecutionLimits limits,
            List<String> grants,
            Map<String, String> labels,
            int priority,
            DebugMode debug,
            Durability durability,
            Optional<String> intent,
            Optional<IdempotencyKey> idempotencyKey,
            Optional<RerunOrigin> rerun,
            EffectMode effects,
            Optional<CapabilityBinding> capability,
            Optional<String> callback,
            Optional<TraceContext> trace) {
        this(
                id,
                tenant,
                submitter,
                code,
                language,
                tier,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotencyKey,
                rerun,
                effects,
                capability,
                callback,
                trace,
                CacheOptions.NONE,
                AdmissionConstraints.NONE);
    }

    /** The same, taking over and leaving other things. */
    public NewExecution withCacheOptions(CacheOptions other) {
        return new NewExecution(
                id,
                tenant,
                submitter,
                code,
                language,
                tier,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotencyKey,
                rerun,
                effects,
                capability,
                callback,
                trace,
                other,
                admission);
    }

    /** One whose end nobody is told, outside of any trace. */
    public NewExecution(
            ExecutionId id,
            String tenant,
            String submitter,
            String code,
            ScriptLanguage language,
            ScriptTier tier,
            Json args,
            Json context,
            ExecutionLimits limits,
            List<String> grants,
            Map<String, String> labels,
            int priority,
            DebugMode debug,
            Durability durability,
            Optional<String> intent,
            Optional<IdempotencyKey> idempotencyKey,
            Optional<RerunOrigin> rerun,
            EffectMode effects,
            Optional<CapabilityBinding> capability) {
        this(
                id,
                tenant,
                submitter,
                code,
                language,
                tier,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotencyKey,
                rerun,
                effects,
                capability,
                Optional.empty(),
                Optional.empty(),
                CacheOptions.NONE,
                AdmissionConstraints.NONE);
    }

    /** One that is no re-run, whose effects are real, and that runs no capability. */
    public NewExecution(
            ExecutionId id,
            String tenant,
            String submitter,
            String code,
            ScriptLanguage language,
            ScriptTier tier,
            Json args,
            Json context,
            ExecutionLimits limits,
            List<String> grants,
            Map<String, String> labels,
            int priority,
            DebugMode debug,
            Durability durability,
            Optional<String> intent,
            Optional<IdempotencyKey> idempotencyKey) {
        this(
                id,
                tenant,
                submitter,
                code,
                language,
                tier,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotencyKey,
                Optional.empty(),
                EffectMode.REAL,
                Optional.empty());
    }

    /**
     * A promise of the client that the same key means the same request.
     *
     * @param key the client's key
     * @param bodyHash SHA-256 of the request body, hexadecimal
     */
    public record IdempotencyKey(String key, String bodyHash) {}
}
