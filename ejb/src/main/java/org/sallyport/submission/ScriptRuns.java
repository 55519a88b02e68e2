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
import org.sallyport.access.Caller;
import org.sallyport.execution.Reuse;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.script.KeptScript;
import org.sallyport.script.ScriptHash;
import org.sallyport.script.ScriptStore;
import org.sallyport.script.ScriptSummary;

/**
 * Accepts runs of scripts that were kept: a submission made of the script of that name. The script brings no rights: what it may call is what
 * its caller grants now. Thread-safe.
 */
public final class ScriptRuns {
    private static final Logger LOG = System.getLogger(ScriptRuns.class.getName());
    private static final Duration NOTED_ANEW = Duration.ofMinutes(1);

    private final ScriptStore store;
    private final Reception reception;
    private final InstantSource clock;

    public ScriptRuns(ScriptStore store, Reception reception, InstantSource clock) {
        this.store = store;
        this.reception = reception;
        this.clock = clock;
    }

    /** As {@link Reception#accept}; also {@link Receipt.NoScript} and {@link Receipt.OtherIntegrity}. */
    public CompletionStage<Receipt> accept(Caller caller, ScriptCall call) {
        return made(
                call,
                find(caller, call.name()),
                CompletableFuture::completedFuture,
                submission -> reception.accept(caller, submission));
    }

    /** The script of that name; noted as used. */
    Optional<KeptScript> find(Caller caller, String name) {
        Optional<KeptScript> found = store.find(caller.tenant(), name);
        found.ifPresent(script -> note(caller.tenant(), script.summary()));
        return found;
    }

    /** Goes on with the submission that is made of {@code call} and what was found for it, or with why none can be. */
    static <T> T made(
            ScriptCall call, Optional<KeptScript> found, Function<Receipt, T> refused, Function<Submission, T> then) {
        if (found.isEmpty()) {
            return refused.apply(new Receipt.NoScript(call.name()));
        }
        ScriptSummary script = found.get().summary();
        if (call.integrity().filter(hash -> !hash.equals(script.hash())).isPresent()) {
            return refused.apply(new Receipt.OtherIntegrity(script.name(), "it has " + script.hash()));
        }
        return then.apply(call.options().runningKept(script.name(), found.get().code(), script.language()));
    }

    private void note(String tenant, ScriptSummary script) {
        Instant now = clock.instant();
        if (Duration.between(script.usedAt(), now).compareTo(NOTED_ANEW) < 0) {
            return;
        }
        try {
            store.used(tenant, script.name());
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "that script {0} is used could not be noted: {1}", script.name(), e.getMessage());
        }
    }

    /**
     * Why the script of {@code submission} would not be kept under the name that it is to have: a script has one name, and a name one
     * script.
     */
    static Optional<Receipt> taken(ScriptStore store, Caller caller, Submission submission) {
        Optional<String> wanted = submission.reuse().keepAs().filter(name -> !name.equals(Reuse.ANY_NAME));
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        String hash = ScriptHash.of(submission.language(), submission.code());
        Optional<String> known = store.name(caller.tenant(), hash);
        if (known.isPresent()) {
            return known.filter(name -> !name.equals(wanted.get())).map(name -> new Receipt.ScriptExists(name, true));
        }
        return store.find(caller.tenant(), wanted.get()).map(other -> new Receipt.ScriptExists(wanted.get(), false));
    }
}
