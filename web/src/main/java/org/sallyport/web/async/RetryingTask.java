package org.sallyport.web.async;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.StoreUnavailableException;

/** Runs a task that must not be lost while the database is unavailable, with retries. Thread-safe. */
@Dependent
public class RetryingTask {
    private static final long MAX_PAUSE_MILLIS = 5_000;
    /** About ten minutes. */
    static final int MAX_ATTEMPTS = 125;

    private final LongFunction<CompletionStage<Void>> timer;

    @Inject
    public RetryingTask(CompletionWaiter waiting) {
        this(waiting::delay);
    }

    /** @param pauses returns a stage that completes after the given milliseconds, on a thread that may block */
    RetryingTask(LongFunction<CompletionStage<Void>> pauses) {
        this.timer = pauses;
    }

    /**
     * Runs {@code task} on this thread, and retries it later on other threads while the store is unavailable. Runs
     * {@code inVain} when the attempts are used up.
     *
     * @param description the task, for the log: a verb and its object
     */
    public void runWithRetries(String description, Runnable task, Runnable inVain) {
        attempt(description, task, inVain, 1);
    }

    private void attempt(String description, Runnable task, Runnable inVain, int count) {
        try {
            task.run();
        } catch (StoreUnavailableException e) {
            if (count == MAX_ATTEMPTS) {
                System.getLogger(RetryingTask.class.getName())
                        .log(Level.WARNING, "Gave up after " + count + " attempts: " + description, e);
                inVain.run();
                return;
            }
            long pause = Math.min(MAX_PAUSE_MILLIS, 100L << Math.min(count, 6));
            timer.apply(pause).thenRun(() -> attempt(description, task, inVain, count + 1));
        }
    }
}
