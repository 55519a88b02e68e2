package org.sallyport.execution;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;

/**
 * An execution about to be stored.
 *
 * @param id its id
 * @param tenant the owning tenant
 * @param submitter id of the API key that submitted it
 * @param code the script, unchanged
 * @param language the language of the script
 * @param tier the tier that runs it
 * @param args the arguments
 * @param context the additional context
 * @param limits its limits
 * @param grants globs of the tools it may call, fixed now
 * @param labels the submitter's labels
 * @param priority 0 (last) to 9 (first)
 * @param debug the debug mode
 * @param durability whether it outlives its node
 * @param intent the reason for the run, in the submitter's words
 * @param idempotencyKey the submitter's key against double submission
 * @param rerun the origin, if this is a re-run
 * @param effects whether effects are real, listed or restricted to a plan
 * @param capability the published script that it runs, if any
 * @param callback the URL to notify when it has ended
 * @param trace the trace context in which it runs, if any
 * @param cacheOptions how it uses cached results, shared reads and saved scripts
 * @param admission when it may start
 * @param variables the variables that its script sees, if any
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
        AdmissionConstraints admission,
        Optional<PinnedVariables> variables) {
    public NewExecution {
        grants = List.copyOf(grants);
        labels = Map.copyOf(labels);
    }

    /** Creates an execution without cache options, admission constraints and variables. */
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
                AdmissionConstraints.NONE,
                Optional.empty());
    }

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
                admission,
                variables);
    }

    /** Creates an execution without callback, trace, cache options, admission constraints and variables. */
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
                AdmissionConstraints.NONE,
                Optional.empty());
    }

    /** Creates an execution that is no re-run, has real effects and runs no capability. */
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
     * The client's promise that the same key means the same request.
     *
     * @param key the client's key
     * @param bodyHash SHA-256 of the request body, hexadecimal
     */
    public record IdempotencyKey(String key, String bodyHash) {}
}
