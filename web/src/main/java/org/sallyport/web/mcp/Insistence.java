package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.Waiting;

/** Has something done that is not to be lost to a database that is away for a while. Thread-safe. */
@Dependent
public class Insistence {
    private static final long LONGEST_PAUSE_MILLIS = 5_000;
    /** Some ten minutes. */
    static final int MOST_TRIES = 125;

    private final LongFunction<CompletionStage<Void>> pauses;

    @Inject
    public Insistence(Waiting waiting) {
        this(waiting::pause);
    }

    /** @param pauses completes on a thread that may block, when so many milliseconds have passed */
    Insistence(LongFunction<CompletionStage<Void>> pauses) {
        this.pauses = pauses;
    }

    /** Does {@code task} on this thread, and on others later while the store does not answer. */
    void insist(Runnable task, Runnable inVain) {
        attempt(task, inVain, 1);
    }

    private void attempt(Runnable task, Runnable inVain, int count) {
        try {
            task.run();
        } catch (StoreUnavailableException e) {
            if (count == MOST_TRIES) {
                System.getLogger(Insistence.class.getName()).log(Level.WARNING, "given up after many tries", e);
                inVain.run();
                return;
            }
            long pause = Math.min(LONGEST_PAUSE_MILLIS, 100L << Math.min(count, 6));
            pauses.apply(pause).thenRun(() -> attempt(task, inVain, count + 1));
        }
    }
}
