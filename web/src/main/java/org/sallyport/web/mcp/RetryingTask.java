package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.StoreUnavailableException;

/** Has something done that is not to be lost to a database that is away for a while. Thread-safe. */
@Dependent
public class RetryingTask {
    private static final long MAX_PAUSE_MILLIS = 5_000;
    /** Some ten minutes. */
    static final int MAX_ATTEMPTS = 125;

    private final LongFunction<CompletionStage<Void>> timer;

    @Inject
    public RetryingTask(CompletionWaiter waiting) {
        this(waiting::delay);
    }

    /** @param pauses completes on a thread that may block, when so many milliseconds have passed */
    RetryingTask(LongFunction<CompletionStage<Void>> pauses) {
        this.timer = pauses;
    }

    /** Does {@code task} on this thread, and on others later while the store does not answer. */
    void runWithRetries(Runnable task, Runnable inVain) {
        attempt(task, inVain, 1);
    }

    private void attempt(Runnable task, Runnable inVain, int count) {
        try {
            task.run();
        } catch (StoreUnavailableException e) {
            if (count == MAX_ATTEMPTS) {
                System.getLogger(RetryingTask.class.getName()).log(Level.WARNING, "given up after many tries", e);
                inVain.run();
                return;
            }
            long pause = Math.min(MAX_PAUSE_MILLIS, 100L << Math.min(count, 6));
            timer.apply(pause).thenRun(() -> attempt(task, inVain, count + 1));
        }
    }
}
