package org.sallyport.runner;

import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.sandbox.SessionResult;

/**
 * Decides whether a script runs again after its worker was lost. It does unless the script is suspected of causing the
 * losses, or has lost very many workers. Losses caused by others do not count against it, and {@link OrphanRecovery}
 * counts lost nodes. A script that computed when the memory of its worker ran out is suspect from its second loss on.
 *
 * @param suspectedLosses how often its worker was lost while the script computed, before the current loss
 * @param losses how often its worker was lost, before the current loss
 */
record WorkerLossPolicy(int suspectedLosses, int losses) {
    /** Number of lost workers at which an execution fails, regardless of the cause. */
    static final int MAX_LOSSES = 20;

    private static final int MAX_SUSPECTED_LOSSES = 2;

    /** Result of the decision. */
    sealed interface RetryDecision {
        /** The script runs again. */
        record RetryAllowed(WorkerLossPolicy next) implements RetryDecision {}

        /** The execution fails. */
        record RetryRefused(ExecutionOutcome outcome) implements RetryDecision {}
    }

    /** Returns the policy of a first run. */
    static WorkerLossPolicy initial() {
        return new WorkerLossPolicy(0, 0);
    }

    /**
     * Returns whether the next run needs a worker of its own. After a loss, several scripts of the worker may be
     * suspect; only alone, a script that causes a loss can be told from one that was next to it.
     */
    boolean needsOwnWorker() {
        return suspectedLosses > 0;
    }

    /**
     * Decides whether the script runs again.
     *
     * @param repeatable whether the script can continue without repeating effects
     */
    RetryDecision decide(SessionResult.SessionLost lost, boolean repeatable) {
        boolean outOfMemory = lost.reason() == SessionResult.SessionLossReason.OUT_OF_MEMORY;
        // A script that is not suspect had allocated far less than others, but may have allocated much at once.
        boolean suspect = lost.suspect() || (outOfMemory && losses > 0);
        int suspected = suspectedLosses + (suspect ? 1 : 0);
        int all = losses + 1;
        if (suspected >= MAX_SUSPECTED_LOSSES && outOfMemory) {
            return refuseRetry(ErrorCode.MEMORY_LIMIT, lost.message() + "; keep less data in memory at one time");
        } else if (suspected >= MAX_SUSPECTED_LOSSES) {
            return refuseRetry(
                    ErrorCode.WORKER_LOST,
                    lost.message() + "; it was not the first that this script lost while it computed");
        } else if (!repeatable) {
            return refuseRetry(
                    ErrorCode.WORKER_LOST,
                    "the script's worker was lost, and it is not run again since it keeps no journal of its calls"
                            + " (durability none)");
        } else if (all >= MAX_LOSSES) {
            return refuseRetry(ErrorCode.RUNNER_LOST, "the script's worker was lost " + all + " times");
        }
        return new RetryDecision.RetryAllowed(new WorkerLossPolicy(suspected, all));
    }

    private static RetryDecision refuseRetry(ErrorCode code, String message) {
        return new RetryDecision.RetryRefused(OutcomeMapper.failed(code, message));
    }
}
