package org.sallyport.submission;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

/**
 * A well-formed submission that is not yet checked against limits and rights.
 *
 * @param code the script
 * @param language the language of the script; may be {@link ScriptLanguage#UNSPECIFIED} until the script is checked
 * @param args the arguments
 * @param context the additional context
 * @param limits the requested limits
 * @param grants globs of the requested tools; empty means all that the caller holds
 * @param labels the client's labels
 * @param priority 0 (last) to 9 (first)
 * @param debug the debug mode
 * @param durability whether the execution outlives the node that runs it
 * @param intent the reason for the run
 * @param idempotency the client's key against double submission
 * @param rerun the origin, if this is a re-run
 * @param effects whether effects are real, listed or restricted to a plan
 * @param capability the published script that it runs, if any
 * @param callback the URL to notify when the execution has ended
 * @param cacheOptions how it uses cached results, shared reads and saved scripts
 * @param admission when it may start
 * @param variables the variables that the script sees, if any
 */
public record Submission(
        String code,
        ScriptLanguage language,
        Json args,
        Json context,
        RequestedLimits limits,
        Optional<List<String>> grants,
        Map<String, String> labels,
        int priority,
        DebugMode debug,
        Durability durability,
        Optional<String> intent,
        Optional<IdempotencyKey> idempotency,
        Optional<RerunOrigin> rerun,
        EffectMode effects,
        Optional<CapabilityBinding> capability,
        Optional<String> callback,
        CacheOptions cacheOptions,
        AdmissionConstraints admission,
        Optional<PinnedVariables> variables) {

    /** Creates a submission that is no re-run, has real effects and runs no capability. */
    public Submission(
            String code,
            ScriptLanguage language,
            Json args,
            Json context,
            RequestedLimits limits,
            Optional<List<String>> grants,
            Map<String, String> labels,
            int priority,
            DebugMode debug,
            Durability durability,
            Optional<String> intent,
            Optional<IdempotencyKey> idempotency) {
        this(
                code,
                language,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                Optional.empty(),
                EffectMode.REAL,
                Optional.empty(),
                Optional.empty(),
                CacheOptions.NONE,
                AdmissionConstraints.NONE,
                Optional.empty());
    }

    Submission withCode(String other) {
        return with(other, language);
    }

    Submission withLanguage(ScriptLanguage found) {
        return with(code, found);
    }

    private Submission with(String otherCode, ScriptLanguage otherLanguage) {
        return new Submission(
                otherCode,
                otherLanguage,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                rerun,
                effects,
                capability,
                callback,
                cacheOptions,
                admission,
                variables);
    }

    /** Returns a copy that runs a published capability. */
    Submission forCapability(String published, ScriptLanguage in, List<String> needed, CapabilityBinding use) {
        return new Submission(
                published,
                in,
                args,
                context,
                limits,
                Optional.of(needed),
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                rerun,
                effects,
                Optional.of(use),
                callback,
                cacheOptions,
                admission,
                variables);
    }

    /** Returns a copy that runs a saved script. */
    Submission forSavedScript(String script, String kept, ScriptLanguage in) {
        return new Submission(
                kept,
                in,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                rerun,
                effects,
                capability,
                callback,
                cacheOptions.withSavedScript(script),
                admission,
                variables);
    }

    Submission asRerun(RerunOrigin repeated) {
        return new Submission(
                code,
                language,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                Optional.of(repeated),
                effects,
                capability,
                callback,
                cacheOptions,
                admission,
                variables);
    }

    Submission withIdempotency(IdempotencyKey key) {
        return new Submission(
                code,
                language,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                Optional.of(key),
                rerun,
                effects,
                capability,
                callback,
                cacheOptions,
                admission,
                variables);
    }

    public Submission withEffects(EffectMode others) {
        return new Submission(
                code,
                language,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                rerun,
                others,
                capability,
                callback,
                cacheOptions,
                admission,
                variables);
    }

    public Submission withCallback(Optional<String> url) {
        return new Submission(
                code,
                language,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                rerun,
                effects,
                capability,
                url,
                cacheOptions,
                admission,
                variables);
    }

    /** Returns a copy with shared reads within its batch turned on or off. */
    public Submission withSharedReads(boolean shares) {
        return withCacheOptions(cacheOptions.withSharedReads(shares));
    }

    public Submission withCacheOptions(CacheOptions other) {
        return new Submission(
                code,
                language,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                rerun,
                effects,
                capability,
                callback,
                other,
                admission,
                variables);
    }

    public Submission withAdmission(AdmissionConstraints other) {
        return new Submission(
                code,
                language,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                rerun,
                effects,
                capability,
                callback,
                cacheOptions,
                other,
                variables);
    }

    /** Returns a copy whose script sees {@code pinned}. */
    public Submission withVariables(Optional<PinnedVariables> pinned) {
        return new Submission(
                code,
                language,
                args,
                context,
                limits,
                grants,
                labels,
                priority,
                debug,
                durability,
                intent,
                idempotency,
                rerun,
                effects,
                capability,
                callback,
                cacheOptions,
                admission,
                pinned);
    }
}
