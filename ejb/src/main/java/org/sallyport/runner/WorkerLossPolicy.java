package org.sallyport.runner;

import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.sandbox.SessionResult;

/**
 * Whether a script whose worker was lost goes on in another. It may as long as it is not the one that workers die of. What
 * others do to its workers does not count against it, and the deaths of nodes are for {@link OrphanRecovery} to count.
 *
 * @param suspectedLosses how often its worker was lost while it computed, this time not counted
 */
record WorkerLossPolicy(int suspectedLosses) {
    /** Claims of one execution at most, whoever is why. */
    static final int MAX_CLAIMS = 20;

    private static final int MAX_SUSPECTED_LOSSES = 2;

    /** What follows. */
    sealed interface RetryDecision {
        /** It runs again. */
        record RetryAllowed(WorkerLossPolicy next) implements RetryDecision {}

        /** It has failed. */
        record RetryRefused(ExecutionOutcome outcome) implements RetryDecision {}
    }

    /** That of a first run. */
    static WorkerLossPolicy initial() {
        return new WorkerLossPolicy(0);
    }

    /**
     * Decides.
     *
     * @param attempt number of the claim that was lost
     * @param repeatable whether it can go on without doing anything twice
     */
    RetryDecision decide(SessionResult.SessionLost lost, int attempt, boolean repeatable) {
        int suspected = suspectedLosses + (lost.suspect() ? 1 : 0);
        if (suspected >= MAX_SUSPECTED_LOSSES && lost.reason() == SessionResult.SessionLossReason.OUT_OF_MEMORY) {
            return refuseRetry(ErrorCode.MEMORY_LIMIT, lost.message() + "; hold less at once");
        } else if (suspected >= MAX_SUSPECTED_LOSSES) {
            return refuseRetry(
                    ErrorCode.WORKER_LOST, lost.message() + "; it was not the first while this script computed");
        } else if (!repeatable) {
            return refuseRetry(
                    ErrorCode.WORKER_LOST,
                    "the script's worker was lost, and it is not run again since it keeps no journal of its calls"
                            + " (durability none)");
        } else if (attempt >= MAX_CLAIMS) {
            return refuseRetry(ErrorCode.RUNNER_LOST, "the script's worker was lost " + attempt + " times");
        }
        return new RetryDecision.RetryAllowed(new WorkerLossPolicy(suspected));
    }

    private static RetryDecision refuseRetry(ErrorCode code, String message) {
        return new RetryDecision.RetryRefused(OutcomeMapper.failed(code, message));
    }
}
