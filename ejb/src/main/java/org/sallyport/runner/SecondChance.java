package org.sallyport.runner;

import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.Outcome;
import org.sallyport.sandbox.SessionEnd;

/**
 * Whether a script whose worker was lost goes on in another. It may as long as it is not the one that workers die of. What
 * others do to its workers does not count against it, and the deaths of nodes are for {@link Recovery} to count.
 *
 * @param suspicions how often its worker was lost while it computed, this time not counted
 */
record SecondChance(int suspicions) {
    /** Claims of one execution at most, whoever is why. */
    static final int MAX_CLAIMS = 20;

    private static final int SUSPICIONS = 2;

    /** What follows. */
    sealed interface Verdict {
        /** It runs again. */
        record Again(SecondChance next) implements Verdict {}

        /** It has failed. */
        record Over(Outcome outcome) implements Verdict {}
    }

    /** That of a first run. */
    static SecondChance first() {
        return new SecondChance(0);
    }

    /**
     * Decides.
     *
     * @param attempt number of the claim that was lost
     * @param repeatable whether it can go on without doing anything twice
     */
    Verdict after(SessionEnd.Lost lost, int attempt, boolean repeatable) {
        int suspected = suspicions + (lost.suspect() ? 1 : 0);
        if (suspected >= SUSPICIONS && lost.reason() == SessionEnd.Reason.OUT_OF_MEMORY) {
            return over(ErrorCode.MEMORY_LIMIT, lost.message() + "; hold less at once");
        } else if (suspected >= SUSPICIONS) {
            return over(ErrorCode.WORKER_LOST, lost.message() + "; it was not the first while this script computed");
        } else if (!repeatable) {
            return over(
                    ErrorCode.WORKER_LOST,
                    "the script's worker was lost, and it is not run again since it keeps no journal of its calls"
                            + " (durability none)");
        } else if (attempt >= MAX_CLAIMS) {
            return over(ErrorCode.RUNNER_LOST, "the script's worker was lost " + attempt + " times");
        }
        return new Verdict.Again(new SecondChance(suspected));
    }

    private static Verdict over(ErrorCode code, String message) {
        return new Verdict.Over(Outcomes.failed(code, message));
    }
}
