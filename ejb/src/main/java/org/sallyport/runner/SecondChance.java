package org.sallyport.runner;

import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.Outcome;
import org.sallyport.sandbox.SessionEnd;

/**
 * Whether a script whose worker was lost runs again from its start. It may as long as nothing outside knows of its first
 * run, and as long as it is not the one that workers die of.
 *
 * @param suspicions how often its worker was lost while it computed, this time not counted
 */
record SecondChance(int suspicions) {
    /** Claims of one execution at most. */
    static final int MAX_ATTEMPTS = 3;

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
     * @param effectful whether a call left that may have changed something
     */
    Verdict after(SessionEnd.Lost lost, int attempt, boolean effectful) {
        int suspected = suspicions + (lost.suspect() ? 1 : 0);
        if (suspected >= SUSPICIONS) {
            return over(ErrorCode.WORKER_LOST, lost.message() + "; it was not the first while this script computed");
        } else if (effectful) {
            String why = lost.suspect() ? lost.message() : "the script's worker was lost through another execution";
            return over(
                    ErrorCode.WORKER_LOST,
                    why + "; the script is not run again since it had called a tool that may have had an effect");
        } else if (attempt >= MAX_ATTEMPTS) {
            return over(ErrorCode.RUNNER_LOST, "the script's worker was lost " + attempt + " times");
        }
        return new Verdict.Again(new SecondChance(suspected));
    }

    private static Verdict over(ErrorCode code, String message) {
        return new Verdict.Over(Outcomes.failed(code, message));
    }
}
