package org.sallyport.submission;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Bounds how many threads work on batches at the same time. Waiting threads take turns. Thread-safe. */
final class BatchSlots {
    private final Semaphore free;
    private final Duration timeout;

    /** @param timeout how long a thread waits for a slot */
    BatchSlots(int slots, Duration timeout) {
        this.free = new Semaphore(slots, true);
        this.timeout = timeout;
    }

    /** Does work in a slot and returns its result; empty if no slot became free in time. */
    <T> Optional<T> compute(Supplier<T> work) {
        try {
            if (!free.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        try {
            return Optional.of(work.get());
        } finally {
            free.release();
        }
    }
}
