package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Repeats an access to the store until the store answers. Each access must be repeatable: the store keeps one effect of
 * a write, however often the write is made. Thread-safe.
 */
final class StoreRetry {
    private static final Logger LOG = System.getLogger(StoreRetry.class.getName());
    private static final long PAUSE_MILLIS = 500;
    /** How often an access is tried whose store fails in another way than being unavailable. */
    private static final int MAX_TRIES = 3;

    private final ScheduledExecutorService scheduler;
    private final Executor tasks;

    /**
     * A write that may have taken effect although the store did not answer.
     *
     * @param what the execution and what is written, for the log
     * @param attempt writes; called again for each try
     * @param refused whether a result says that nothing was written
     * @param proof asks the store for the result of an earlier try that took effect; empty when none did
     */
    record StoreWrite<T>(String what, Supplier<T> attempt, Predicate<T> refused, Supplier<Optional<T>> proof) {}

    /** @param tasks runs the repetitions of {@link #later} */
    StoreRetry(ScheduledExecutorService scheduler, Executor tasks) {
        this.scheduler = scheduler;
        this.tasks = tasks;
    }

    /**
     * Repeats {@code access} while the store is unavailable. Waits. Every other exception of {@code access} is thrown
     * at once.
     *
     * @param abandoned asked before each try
     * @return empty when {@code abandoned} returned true or the thread was interrupted
     */
    static <T> Optional<T> callWhileUnavailable(Supplier<T> access, BooleanSupplier abandoned) {
        return call(access, abandoned, 1);
    }

    /** Like {@link #callWhileUnavailable}, for an access without a result. */
    static void runWhileUnavailable(Runnable access, BooleanSupplier abandoned) {
        call(
                () -> {
                    access.run();
                    return true;
                },
                abandoned,
                1);
    }

    /**
     * Like {@link #callWhileUnavailable}, but throws another exception only when {@value #MAX_TRIES} tries have failed
     * with one.
     */
    static <T> Optional<T> callDespiteFaults(Supplier<T> access, BooleanSupplier abandoned) {
        return call(access, abandoned, MAX_TRIES);
    }

    private static <T> Optional<T> call(Supplier<T> access, BooleanSupplier abandoned, int tries) {
        int faults = 0;
        boolean interrupted = false;
        while (!interrupted && !abandoned.getAsBoolean()) {
            try {
                return Optional.of(access.get());
            } catch (StoreUnavailableException e) {
                interrupted = !pause();
            } catch (RuntimeException e) {
                faults++;
                if (faults >= tries) {
                    throw e;
                }
                LOG.log(Level.WARNING, "an access to the store failed and is tried again", e);
                interrupted = !pause();
            }
        }
        return Optional.empty();
    }

    /** Returns false when the thread was interrupted, so that the caller must stop waiting. */
    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Runs {@code work} as a task after the pause between two tries. Does not wait. */
    void runAfterPause(Runnable work) {
        scheduler.schedule(() -> tasks.execute(work), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Writes at once and, while the store is unavailable, again later, for as long as this node lives. Holds no thread
     * between two tries.
     *
     * @param ways tried in order: the next one when the store has failed to execute one in {@value #MAX_TRIES} tries
     * @param then receives the result
     * @param onFault called instead of {@code then} when the store has failed to execute all of them
     */
    <T> void later(List<StoreWrite<T>> ways, Consumer<T> then, Runnable onFault) {
        new RepeatedWrite<>(ways, then, onFault).run();
    }

    /** A write of {@link #later}. Its tries follow one another, also on different threads. */
    private final class RepeatedWrite<T> implements Runnable {
        private final List<StoreWrite<T>> ways;
        private final Consumer<T> then;
        private final Runnable onFault;
        private int way;
        private int faults;
        /** Whether an earlier try may have taken effect. */
        private boolean maybeStored;

        RepeatedWrite(List<StoreWrite<T>> ways, Consumer<T> then, Runnable onFault) {
            this.ways = ways;
            this.then = then;
            this.onFault = onFault;
        }

        @Override
        public void run() {
            StoreWrite<T> write = ways.get(way);
            T result;
            try {
                result = write(write);
            } catch (StoreUnavailableException e) {
                maybeStored |= e.maybeStored();
                runAfterPause(this);
                return;
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                handleFault(write, e);
                return;
            }
            then.accept(result);
        }

        /** A result that says that nothing was written may be due to an earlier try. */
        private T write(StoreWrite<T> write) {
            T result = write.attempt().get();
            return maybeStored && write.refused().test(result)
                    ? write.proof().get().orElse(result)
                    : result;
        }

        private void handleFault(StoreWrite<T> write, Throwable failure) {
            LOG.log(Level.ERROR, write.what() + " could not be stored", failure);
            maybeStored = true; // the store may have failed after its commit
            faults++;
            if (faults < MAX_TRIES) {
                runAfterPause(this);
            } else if (way + 1 < ways.size()) {
                way++;
                faults = 0;
                run();
            } else {
                onFault.run();
            }
        }
    }
}
