package org.sallyport.submission;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.Admission;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Effects;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Rerun;
import org.sallyport.execution.Submitted;
import org.sallyport.tool.Json;

/**
 * Accepts re-runs of what has ended: a submission made of the other's, with the same rights and never more. Thread-safe.
 */
public final class Reruns {
    private final ExecutionStore store;
    private final Reception reception;
    private final LimitPolicy limits;

    public Reruns(Configuration configuration, ExecutionStore store, Reception reception) {
        this.store = store;
        this.reception = reception;
        this.limits = new LimitPolicy(configuration);
    }

    /** As {@link Reception#accept}; also {@link Receipt.NoOriginal} and {@link Receipt.NotEnded}. */
    public CompletionStage<Receipt> accept(Caller caller, ExecutionId original, RerunRequest request) {
        Optional<Submitted> found = store.submitted(caller.tenant(), original);
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(new Receipt.NoOriginal());
        }
        ExecutionState state = found.get().summary().state();
        return state.terminal()
                ? reception.accept(caller, submission(found.get(), request))
                : CompletableFuture.completedFuture(new Receipt.NotEnded(state));
    }

    /** What was submitted, as far as it is allowed by now, under no key. */
    Submission again(Submitted original) {
        return new Submission(
                        original.code(),
                        original.summary().language(),
                        original.args(),
                        original.context(),
                        limits.of(original.limits(), RequestedLimits.NONE),
                        Optional.of(original.grants()),
                        original.summary().labels(),
                        original.summary().priority(),
                        DebugMode.NONE,
                        original.durability(),
                        original.intent(),
                        Optional.empty())
                .admitted(admission(original))
                .with(again(original.effects()));
    }

    /** Times are over by now; what may not run beside others still may not. */
    private static Admission admission(Submitted original) {
        return Admission.NONE.keyed(original.concurrencyKey());
    }

    /** What was not to have effects is not let loose by being repeated; what was approved was approved once. */
    private static Effects again(Effects effects) {
        return effects instanceof Effects.DryRun ? effects : Effects.REAL;
    }

    private Submission submission(Submitted original, RerunRequest request) {
        Submission again = new Submission(
                request.code().orElse(original.code()),
                request.language().orElse(original.summary().language()),
                request.args().orElse(original.args()),
                request.context().orElse(original.context()),
                limits.of(original.limits(), request.limits()),
                Optional.of(original.grants()),
                request.labels().orElse(original.summary().labels()),
                request.priority().orElse(original.summary().priority()),
                request.debug(),
                original.durability(),
                request.intent().or(original::intent),
                request.idempotency());
        Rerun rerun = new Rerun(original.summary().id(), request.mode(), request.from(), differs(again, original));
        boolean dry = request.dryRun() && !(original.effects() instanceof Effects.DryRun);
        return again.admitted(admission(original))
                .with(dry ? new Effects.DryRun(Json.EMPTY_OBJECT) : again(original.effects()))
                .as(rerun);
    }

    private static boolean differs(Submission again, Submitted original) {
        return !again.code().equals(original.code())
                || again.language() != original.summary().language()
                || !again.args().equals(original.args())
                || !again.context().equals(original.context());
    }
}
