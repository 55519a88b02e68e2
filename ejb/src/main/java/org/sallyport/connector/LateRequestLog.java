package org.sallyport.connector;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.sallyport.messaging.ToolRequestMessage;

/** Logs calls that arrived after the lease of their sender, at most once a minute. Thread-safe. */
final class LateRequestLog {
    private static final Logger LOG = System.getLogger(LateRequestLog.class.getName());
    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final LongAdder count = new LongAdder();
    private final AtomicLong nextLogNanos;

    /** @param nanoTime a monotonic clock, in nanoseconds */
    LateRequestLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.nextLogNanos = new AtomicLong(nanoTime.getAsLong());
    }

    /** @param millis how long the call was on its way, by the clocks of both nodes */
    void add(ToolRequestMessage request, long millis) {
        count.increment();
        long now = nanoTime.getAsLong();
        long due = nextLogNanos.get();
        if (now - due >= 0 && nextLogNanos.compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
            LOG.log(
                    Level.WARNING,
                    "call {0} of {1} is not made here: it arrived {2} ms after it was sent, and its sender may have"
                            + " lost its lease after {3} ms ({4} such calls so far). Its sender sends it again. If"
                            + " this repeats, the clocks of the nodes differ: synchronize them",
                    request.call().id(),
                    request.call().tool(),
                    millis,
                    request.leaseMillis(),
                    count.sum());
        }
    }
}
