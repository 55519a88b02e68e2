package org.sallyport.telemetry;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Logs failures of the collector at most once per minute. Confined to one thread. */
final class ThrottledLog {
    private static final Logger LOG = System.getLogger(ThrottledLog.class.getName());
    private static final Duration MIN_INTERVAL = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private boolean hasWarned;
    private boolean warningActive;
    private long lastWarningNanos;
    private long suppressed;

    ThrottledLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void warn(String what) {
        if (hasWarned && nanoTime.getAsLong() - lastWarningNanos < MIN_INTERVAL.toNanos()) {
            suppressed++;
            return;
        }
        LOG.log(
                Level.WARNING,
                "spans were {0}{1}; executions are not affected (setting sallyport.otel.endpoint)",
                what,
                suppressed == 0 ? "" : " (and " + suppressed + " times more)");
        hasWarned = true;
        warningActive = true;
        lastWarningNanos = nanoTime.getAsLong();
        suppressed = 0;
    }

    void logRecovery() {
        if (warningActive) {
            LOG.log(Level.INFO, "the collector accepts spans again");
            warningActive = false;
        }
    }
}
