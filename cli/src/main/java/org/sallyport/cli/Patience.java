package org.sallyport.cli;

import java.time.Duration;
import java.util.function.Supplier;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.api.UnreachableException;

/** How often a service that does not answer is asked again before its silence is the answer. */
final class Patience {
    private static final int BROKEN_IN_A_ROW = 20;
    private static final Duration AFTER_BREAK = Duration.ofMillis(500);

    private int broken;

    /** What is answered to a question that may be put twice; it is put again while that may help. */
    static <T> T asking(Supplier<T> question) {
        for (Patience patience = new Patience(); ; patience.afterBreak()) {
            try {
                return question.get();
            } catch (UnreachableException e) {
                patience.orThrow(e);
            } catch (ProblemException e) {
                patience.orThrow(e);
            }
        }
    }

    /** Something was heard: from here it counts anew. */
    void renew() {
        broken = 0;
    }

    /** Throws it unless asking again may help. */
    void orThrow(UnreachableException e) {
        broken++;
        if (broken >= BROKEN_IN_A_ROW || Thread.currentThread().isInterrupted()) {
            throw e;
        }
    }

    /** Throws it unless asking again may help. */
    void orThrow(ProblemException e) {
        broken++;
        if (broken >= BROKEN_IN_A_ROW || e.problem().status() < 500) {
            throw e;
        }
    }

    void afterBreak() {
        try {
            Thread.sleep(AFTER_BREAK.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
