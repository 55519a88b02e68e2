package org.sallyport.web.mcp;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.web.api.BatchFacade.BatchCounts;

/** Reports the progress of one batch until it has ended. Used by one thread at a time. */
final class BatchProgressReporter {
    private static final long MIN_PAUSE_MILLIS = 50;
    private static final long MAX_PAUSE_MILLIS = 1_000;

    private final LongFunction<? extends CompletionStage<Void>> timer;
    private final Supplier<BatchCounts> counts;
    private final Consumer<BatchCounts> client;
    private final BooleanSupplier isClientGone;
    private final long deadlineNanos;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private long pauseMillis = MIN_PAUSE_MILLIS;

    /**
     * @param timer returns a stage that completes after the given milliseconds, on a thread that may block
     * @param counts reads the progress
     * @param client is told the progress
     * @param isClientGone whether the client no longer waits
     * @param millis maximum time
     */
    BatchProgressReporter(
            LongFunction<? extends CompletionStage<Void>> timer,
            Supplier<BatchCounts> counts,
            Consumer<BatchCounts> client,
            BooleanSupplier isClientGone,
            long millis) {
        this.timer = timer;
        this.counts = counts;
        this.client = client;
        this.isClientGone = isClientGone;
        this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** The stage completes on a thread that may block. */
    CompletionStage<Void> report() {
        scheduleNextPoll(0);
        return done;
    }

    private void poll() {
        try {
            if (tellProgress() || isClientGone.getAsBoolean()) {
                done.complete(null);
                return;
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
            if (left <= 0) {
                done.complete(null);
                return;
            }
            long pause = Math.min(pauseMillis, left);
            pauseMillis = Math.min(MAX_PAUSE_MILLIS, 2 * pauseMillis);
            scheduleNextPoll(pause);
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
        }
    }

    /** Returns whether the batch has ended. */
    private boolean tellProgress() {
        try {
            BatchCounts now = counts.get();
            client.accept(now);
            return now.isFinished();
        } catch (StoreUnavailableException e) {
            pauseMillis = MAX_PAUSE_MILLIS;
            return false;
        }
    }

    private void scheduleNextPoll(long millis) {
        timer.apply(millis).thenRun(this::poll);
    }
}
