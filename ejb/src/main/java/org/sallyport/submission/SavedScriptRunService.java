package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.sallyport.auth.Caller;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.script.SavedScript;
import org.sallyport.script.ScriptHash;
import org.sallyport.script.ScriptStore;
import org.sallyport.script.ScriptSummary;

/**
 * Accepts runs of saved scripts: makes a submission of the script of that name. The script brings no rights: its run
 * may call only the tools that its caller grants now. Thread-safe.
 */
public final class SavedScriptRunService {
    private static final Logger LOG = System.getLogger(SavedScriptRunService.class.getName());
    private static final Duration USE_RECORD_INTERVAL = Duration.ofMinutes(1);

    private final ScriptStore store;
    private final SubmissionService reception;
    private final InstantSource clock;

    public SavedScriptRunService(ScriptStore store, SubmissionService reception, InstantSource clock) {
        this.store = store;
        this.reception = reception;
        this.clock = clock;
    }

    /**
     * Behaves like {@link SubmissionService#submit}; also returns {@link SubmissionResult.SavedScriptNotFound} and
     * {@link SubmissionResult.IntegrityMismatch}.
     */
    public CompletionStage<SubmissionResult> submit(Caller caller, RunSavedScriptRequest call) {
        return resolve(
                call,
                find(caller, call.name()),
                refusal -> CompletableFuture.completedFuture(reception.earlierOr(caller, call.options(), refusal)),
                submission -> reception.submit(caller, submission));
    }

    /** Returns the script of that name and records its use; empty when there is none. */
    Optional<SavedScript> find(Caller caller, String name) {
        Optional<SavedScript> found = store.find(caller.tenant(), name);
        found.ifPresent(script -> recordUse(caller.tenant(), script.summary()));
        return found;
    }

    /**
     * Applies {@code then} to the submission made of {@code call} and {@code found}, or {@code refused} to the reason
     * why there is none.
     */
    static <T> T resolve(
            RunSavedScriptRequest call,
            Optional<SavedScript> found,
            Function<SubmissionResult, T> refused,
            Function<Submission, T> then) {
        if (found.isEmpty()) {
            return refused.apply(new SubmissionResult.SavedScriptNotFound(call.name()));
        }
        ScriptSummary script = found.get().summary();
        if (call.integrity().filter(hash -> !hash.equals(script.hash())).isPresent()) {
            return refused.apply(new SubmissionResult.IntegrityMismatch(script.name(), "it has " + script.hash()));
        }
        return then.apply(
                call.options().forSavedScript(script.name(), found.get().code(), script.language()));
    }

    private void recordUse(String tenant, ScriptSummary script) {
        Instant now = clock.instant();
        if (Duration.between(script.usedAt(), now).compareTo(USE_RECORD_INTERVAL) < 0) {
            return;
        }
        try {
            store.markUsed(tenant, script.name());
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the last use of script {0} could not be stored: {1}", script.name(), e.getMessage());
        }
    }

    /**
     * Returns the reason why the script of {@code submission} cannot be saved under the requested name; empty when it
     * can. A script has one name, and a name one script.
     */
    static Optional<SubmissionResult> findNameConflict(ScriptStore store, Caller caller, Submission submission) {
        Optional<String> wanted =
                submission.cacheOptions().saveAs().filter(name -> !name.equals(CacheOptions.GENERATED_NAME));
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        String hash = ScriptHash.of(submission.language(), submission.code());
        Optional<String> known = store.findNameByHash(caller.tenant(), hash);
        if (known.isPresent()) {
            return known.filter(name -> !name.equals(wanted.get()))
                    .map(name -> new SubmissionResult.SavedScriptConflict(name, true));
        }
        return store.find(caller.tenant(), wanted.get())
                .map(other -> new SubmissionResult.SavedScriptConflict(wanted.get(), false));
    }
}
