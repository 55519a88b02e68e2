package org.sallyport.telemetry;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Tells the log that a collector does not do its part, once a minute at most, however often it changes. For one thread. */
final class Complaints {
    private static final Logger LOG = System.getLogger(Complaints.class.getName());
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private boolean ever;
    private boolean open;
    private long since;
    private long unsaid;

    Complaints(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void say(String what) {
        if (ever && nanoTime.getAsLong() - since < PAUSE.toNanos()) {
            unsaid++;
            return;
        }
        LOG.log(
                Level.WARNING,
                "spans were {0}{1}; executions are not affected (setting sallyport.otel.endpoint)",
                what,
                unsaid == 0 ? "" : " (and " + unsaid + " times more)");
        ever = true;
        open = true;
        since = nanoTime.getAsLong();
        unsaid = 0;
    }

    void over() {
        if (open) {
            LOG.log(Level.INFO, "spans are taken again");
            open = false;
        }
    }
}
