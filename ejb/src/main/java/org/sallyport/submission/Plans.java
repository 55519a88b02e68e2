package org.sallyport.submission;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.execution.Effects;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.execution.Rerun;
import org.sallyport.execution.Submitted;
import org.sallyport.journal.Journal;
import org.sallyport.journal.Plan;

/** What dry runs would have changed, and the runs that may change just that. Thread-safe. */
public final class Plans {
    private final ExecutionStore store;
    private final Journal journal;
    private final Reruns reruns;
    private final Reception reception;
    private final boolean ownAllowed;

    /** @param ownAllowed whether who submitted a dry run may approve its plan */
    public Plans(ExecutionStore store, Journal journal, Reruns reruns, Reception reception, boolean ownAllowed) {
        this.store = store;
        this.journal = journal;
        this.reruns = reruns;
        this.reception = reception;
        this.ownAllowed = ownAllowed;
    }

    /**
     * A dry run and what it listed so far.
     *
     * @param whole whether it has come to its end, so that the plan can be approved
     */
    public record Listed(ExecutionId dryRun, ExecutionState state, boolean whole, Plan plan) {}

    /** The plan of a dry run of {@code tenant}; empty when there is no such dry run. */
    public Optional<Listed> find(String tenant, ExecutionId id) {
        return dryRun(tenant, id)
                .map(run -> new Listed(
                        id,
                        run.summary().state(),
                        unfit(run).isEmpty(),
                        Plan.of(journal, run.summary().id())));
    }

    private Optional<Submitted> dryRun(String tenant, ExecutionId id) {
        return store.submitted(tenant, id).filter(run -> run.effects() instanceof Effects.DryRun);
    }

    /**
     * Has the script of a dry run run for real, once, held to what it listed. As {@link Reception#accept}; also {@link
     * Receipt.NoOriginal}, {@link Receipt.NotEnded} and {@link Receipt.NotApprovable}.
     */
    public CompletionStage<Receipt> approve(Caller approver, ExecutionId id) {
        Optional<Submitted> found = dryRun(approver.tenant(), id);
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(new Receipt.NoOriginal());
        }
        Submitted run = found.get();
        if (!ownAllowed && run.submitter().equals(approver.keyId())) {
            return CompletableFuture.completedFuture(new Receipt.Forbidden(
                    "this key submitted the dry run; let another approver decide (setting sallyport.approvals.own)"));
        }
        Optional<Receipt> unfit = unfit(run);
        if (unfit.isPresent()) {
            return CompletableFuture.completedFuture(unfit.get());
        }
        // No client can send a key with blanks: approved twice, it runs once.
        Idempotency once = new Idempotency("plan of " + id, "approved");
        // Its author stays who submitted it: he may approve no more of what it asks than he could before.
        Caller author = new Caller(
                run.submitter(), approver.tenant(), Set.of(), run.grants(), Optional.empty(), approver.trace());
        return reception.accept(
                author,
                reruns.again(run)
                        .under(once)
                        .with(new Effects.Planned(id, approver.keyId()))
                        .as(new Rerun(id, Rerun.Mode.FRESH, 1, false)));
    }

    private static Optional<Receipt> unfit(Submitted run) {
        ExecutionState state = run.summary().state();
        if (!state.terminal()) {
            return Optional.of(new Receipt.NotEnded(state));
        } else if (state != ExecutionState.COMPLETED) {
            return Optional.of(new Receipt.NotApprovable(
                    "the dry run ended as " + state + ", so its plan is not whole; run it again"));
        } else if (run.summary().rerunOf().isPresent()) {
            return Optional.of(
                    new Receipt.NotApprovable(
                            "the dry run took answers from a recording, which a real run would not; submit its script with dryRun"));
        }
        return Optional.empty();
    }
}
