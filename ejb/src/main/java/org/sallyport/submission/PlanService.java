package org.sallyport.submission;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.journal.DryRunPlan;
import org.sallyport.journal.Journal;

/** Returns the plans of dry runs, and starts the runs that may make exactly the planned changes. Thread-safe. */
public final class PlanService {
    /** A larger plan is neither shown nor approved. */
    public static final long MAX_PLAN_BYTES = 4L << 20;

    private final ExecutionStore store;
    private final Journal journal;
    private final RerunService reruns;
    private final SubmissionService reception;
    private final boolean selfApprovalAllowed;

    /** @param ownAllowed whether the submitter of a dry run may approve its plan */
    public PlanService(
            ExecutionStore store,
            Journal journal,
            RerunService reruns,
            SubmissionService reception,
            boolean ownAllowed) {
        this.store = store;
        this.journal = journal;
        this.reruns = reruns;
        this.reception = reception;
        this.selfApprovalAllowed = ownAllowed;
    }

    /**
     * A dry run and the changes that it has listed so far.
     *
     * @param complete whether the dry run has completed, so that the plan can be approved
     * @param plan the changes; empty when they have more than {@link #MAX_PLAN_BYTES}
     */
    public record PlanSnapshot(ExecutionId dryRun, ExecutionState state, boolean complete, Optional<DryRunPlan> plan) {}

    /** Returns the plan of a dry run of {@code tenant}; empty when there is no such dry run. */
    public Optional<PlanSnapshot> find(String tenant, ExecutionId id) {
        return dryRun(tenant, id)
                .map(run -> new PlanSnapshot(
                        id,
                        run.summary().state(),
                        findProblem(run).isEmpty(),
                        DryRunPlan.read(journal, run.summary().id(), MAX_PLAN_BYTES)));
    }

    private Optional<StoredSubmission> dryRun(String tenant, ExecutionId id) {
        return store.findSubmission(tenant, id).filter(run -> run.effects() instanceof EffectMode.DryRun);
    }

    /**
     * Runs the script of a dry run once with real effects, restricted to the plan. Behaves like
     * {@link SubmissionService#submit}; also returns {@link SubmissionResult.OriginalExecutionNotFound},
     * {@link SubmissionResult.OriginalNotFinished} and {@link SubmissionResult.PlanNotApprovable}.
     */
    public CompletionStage<SubmissionResult> approve(Caller approver, ExecutionId id) {
        Optional<StoredSubmission> found = dryRun(approver.tenant(), id);
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(new SubmissionResult.OriginalExecutionNotFound());
        }
        StoredSubmission run = found.get();
        if (!selfApprovalAllowed && run.submitter().equals(approver.id())) {
            return CompletableFuture.completedFuture(new SubmissionResult.SubmissionForbidden(
                    "this key submitted the dry run; let another approver decide (setting "
                            + "sallyport.approvals.allow-self-approval)"));
        }
        Optional<SubmissionResult> unfit = findProblem(run);
        if (unfit.isPresent()) {
            return CompletableFuture.completedFuture(unfit.get());
        }
        if (DryRunPlan.read(journal, id, MAX_PLAN_BYTES).isEmpty()) {
            return CompletableFuture.completedFuture(new SubmissionResult.PlanNotApprovable("the plan has more than "
                    + MAX_PLAN_BYTES + " bytes and cannot be shown; split the script into smaller ones"));
        }
        // Clients cannot send a key with blanks, so this key is unique to the plan: a plan approved twice runs once.
        IdempotencyKey once = new IdempotencyKey("plan of " + id, "approved");
        // The submitter of the dry run stays the author: he may approve no more of the run's requests than before.
        Caller author = new Caller(
                run.submitter(), approver.tenant(), Set.of(), run.grants(), Optional.empty(), approver.trace());
        return reception
                .submit(
                        author,
                        reruns.forRerun(run)
                                .withIdempotency(once)
                                .withEffects(new EffectMode.ApprovedPlan(id, approver.id()))
                                .asRerun(new RerunOrigin(id, RerunOrigin.RerunMode.FRESH, 1, false)))
                .thenApply(result -> isErasedRun(result, id)
                        ? new SubmissionResult.PlanNotApprovable("the plan was approved and its run was erased")
                        : result);
    }

    /** The key of an approved plan belongs to the dry run itself once the run was erased. */
    private static boolean isErasedRun(SubmissionResult result, ExecutionId plan) {
        return result instanceof SubmissionResult.SubmissionAccepted accepted
                && accepted.id().equals(plan);
    }

    private static Optional<SubmissionResult> findProblem(StoredSubmission run) {
        ExecutionState state = run.summary().state();
        if (!state.isTerminal()) {
            return Optional.of(new SubmissionResult.OriginalNotFinished(state));
        } else if (state != ExecutionState.COMPLETED) {
            return Optional.of(new SubmissionResult.PlanNotApprovable(
                    "the dry run ended as " + state + ", so its plan is incomplete; run it again"));
        } else if (run.summary().rerunOf().isPresent()) {
            return Optional.of(new SubmissionResult.PlanNotApprovable(
                    "the dry run took answers from a recording, which a real run would not; submit its script "
                            + "with dryRun"));
        }
        return Optional.empty();
    }
}
