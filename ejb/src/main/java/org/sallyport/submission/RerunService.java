package org.sallyport.submission;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.tool.Json;

/** Accepts re-runs of executions that have ended. A re-run never has more rights than the original. Thread-safe. */
public final class RerunService {
    private final ExecutionStore store;
    private final SubmissionService reception;
    private final LimitResolver limits;

    public RerunService(Configuration configuration, ExecutionStore store, SubmissionService reception) {
        this.store = store;
        this.reception = reception;
        this.limits = new LimitResolver(configuration);
    }

    /**
     * Behaves like {@link SubmissionService#submit}; also returns {@link SubmissionResult.OriginalExecutionNotFound}
     * and {@link SubmissionResult.OriginalNotFinished}.
     */
    public CompletionStage<SubmissionResult> submit(Caller caller, ExecutionId original, RerunRequest request) {
        Optional<StoredSubmission> found = store.findSubmission(caller.tenant(), original);
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(new SubmissionResult.OriginalExecutionNotFound());
        }
        ExecutionState state = found.get().summary().state();
        return state.isTerminal()
                ? reception.submit(caller, submission(found.get(), request))
                : CompletableFuture.completedFuture(new SubmissionResult.OriginalNotFinished(state));
    }

    /** Returns the original submission with limits reduced to the current maxima and without an idempotency key. */
    Submission forRerun(StoredSubmission original) {
        return new Submission(
                        original.code(),
                        original.summary().language(),
                        original.args(),
                        original.context(),
                        limits.inherit(original.limits(), RequestedLimits.NONE),
                        Optional.of(original.grants()),
                        original.summary().labels(),
                        original.summary().priority(),
                        DebugMode.NONE,
                        original.durability(),
                        original.intent(),
                        Optional.empty())
                .withAdmission(admission(original))
                .withEffects(forRerun(original.effects()))
                .withVariables(original.variables());
    }

    /** Drops the start time and the deadline, which have passed, and keeps the concurrency key. */
    private static AdmissionConstraints admission(StoredSubmission original) {
        return AdmissionConstraints.NONE.withConcurrencyKey(original.concurrencyKey());
    }

    /** The approval of a plan counts for one run only; other modes are kept. */
    private static EffectMode forRerun(EffectMode effects) {
        return effects instanceof EffectMode.ApprovedPlan ? EffectMode.REAL : effects;
    }

    private Submission submission(StoredSubmission original, RerunRequest request) {
        Submission newSubmission = new Submission(
                request.code().orElse(original.code()),
                request.language().orElse(original.summary().language()),
                request.args().orElse(original.args()),
                request.context().orElse(original.context()),
                limits.inherit(original.limits(), request.limits()),
                Optional.of(original.grants()),
                request.labels().orElse(original.summary().labels()),
                request.priority().orElse(original.summary().priority()),
                request.debug(),
                original.durability(),
                request.intent().or(original::intent),
                request.idempotency());
        RerunOrigin rerun = new RerunOrigin(
                original.summary().id(), request.mode(), request.from(), differs(newSubmission, original));
        boolean dry = request.dryRun() && !(original.effects() instanceof EffectMode.DryRun);
        return newSubmission
                .withAdmission(admission(original))
                .withEffects(dry ? new EffectMode.DryRun(Json.EMPTY_OBJECT) : forRerun(original.effects()))
                .asRerun(rerun)
                .withVariables(variables(newSubmission, original));
    }

    /**
     * Returns the variables of the original, unless the script differs: an administrator gave them to the published
     * script, and another script could disclose them.
     */
    private static Optional<PinnedVariables> variables(Submission newSubmission, StoredSubmission original) {
        return newSubmission.code().equals(original.code())
                        && newSubmission.language() == original.summary().language()
                ? original.variables()
                : Optional.empty();
    }

    private static boolean differs(Submission newSubmission, StoredSubmission original) {
        return !newSubmission.code().equals(original.code())
                || newSubmission.language() != original.summary().language()
                || !newSubmission.args().equals(original.args())
                || !newSubmission.context().equals(original.context());
    }
}
