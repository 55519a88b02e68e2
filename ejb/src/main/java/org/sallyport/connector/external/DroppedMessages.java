package org.sallyport.connector.external;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts rejected messages of a connector, and logs them at most once a minute. Thread-safe. */
final class DroppedMessages {
    private static final Logger LOG = System.getLogger(DroppedMessages.class.getName());
    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String backend;
    private final LongSupplier nanoTime;
    private final LongAdder count = new LongAdder();
    private final AtomicLong nextLogNanos;

    DroppedMessages(String backend, LongSupplier nanoTime) {
        this.backend = backend;
        this.nanoTime = nanoTime;
        this.nextLogNanos = new AtomicLong(nanoTime.getAsLong());
    }

    /** @param why reason in the service's own words: text of an untrusted sender must not enter the log */
    void add(String why) {
        count.increment();
        long now = nanoTime.getAsLong();
        long due = nextLogNanos.get();
        if (now - due >= 0 && nextLogNanos.compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
            LOG.log(
                    Level.WARNING,
                    "backend {0}: dropped a message of its connector: {1} ({2} dropped so far)",
                    backend,
                    why,
                    count.sum());
        }
    }

    long count() {
        return count.sum();
    }
}
