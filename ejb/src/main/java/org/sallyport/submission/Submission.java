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
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

/**
 * What a caller asks to have run; already of the right form, not yet checked against limits and rights.
 *
 * @param code the script
 * @param language its language
 * @param args its input
 * @param context its extra context
 * @param limits the limits asked for
 * @param grants globs of the tools asked for; empty means all that the caller holds
 * @param labels the caller's marks
 * @param priority 0 (last) to 9 (first)
 * @param debug how the caller wants to look into it
 * @param durability whether it is to outlive the node that runs it
 * @param intent why it is to run
 * @param idempotency the caller's key against double submission
 * @param rerun what it is a re-run of, if it is one
 * @param effects what becomes of its effects
 * @param capability the published script that it runs, if it is one
 * @param callback where somebody is to be told that it has ended
 * @param cacheOptions what it takes over of what ran before, and leaves to what runs after it
 * @param admission when it may begin
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
        AdmissionConstraints admission) {

    /** One that is no re-run, whose effects are real, and that runs no capability. */
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
                AdmissionConstraints.NONE);
    }

    /** The same with another script. */
    Submission withCode(String other) {
        return new Submission(
                other,
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
                admission);
    }

    /** The same, running what was published. */
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
                admission);
    }

    /** The same, running what was kept under a name. */
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
                admission);
    }

    /** The same as a re-run. */
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
                admission);
    }

    /** The same under another key. */
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
                admission);
    }

    /** The same with other effects. */
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
                admission);
    }

    /** The same, and somebody is told that it has ended. */
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
                admission);
    }

    /** The same, sharing what it reads with its batch or not. */
    public Submission withSharedReads(boolean shares) {
        return withCacheOptions(cacheOptions.withSharedReads(shares));
    }

    /** The same, with other things taken over and left. */
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
                admission);
    }

    /** The same, beginning at another time. */
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
                other);
    }
}
