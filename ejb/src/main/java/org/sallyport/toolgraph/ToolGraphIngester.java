package org.sallyport.toolgraph;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BinaryOperator;
import org.sallyport.execution.StoreUnavailableException;

/** Learns a little at each look from executions that have ended, and forgets what is too old. For one thread. */
public final class ToolGraphIngester {
    private static final Logger LOG = System.getLogger(ToolGraphIngester.class.getName());

    private static final int MAX_EXECUTIONS_PER_STEP = 100;
    private static final int MAX_EVENTS_PER_STEP = 10_000;
    /** So that a long past does not keep the database busy. */
    private static final int MAX_STEPS = 40;

    private final ToolGraphStore store;
    private final BinaryOperator<String> intentRedactor;
    private final ToolGraphStore.IngestLimits limits;
    private final InstantSource clock;
    private int deletedBeforeWeek = Integer.MIN_VALUE;

    /**
     * @param redaction of a tenant and an intent, the intent without what must not be seen
     * @param settled how long ago an execution must have ended
     * @param weeks how many are kept besides the one that is not over
     */
    public ToolGraphIngester(
            ToolGraphStore store, BinaryOperator<String> redaction, Duration settled, int weeks, InstantSource clock) {
        this.store = store;
        this.intentRedactor = redaction;
        this.limits = new ToolGraphStore.IngestLimits(settled, MAX_EXECUTIONS_PER_STEP, MAX_EVENTS_PER_STEP, weeks);
        this.clock = clock;
    }

    /** A few steps, if there is something to be learned. */
    public void poll() {
        try {
            int steps = 0;
            while (store.ingest(limits, intentRedactor) && ++steps < MAX_STEPS) {
                // On.
            }
            deleteOldWeeks();
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the tool graph cannot be learned now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the tool graph could not be learned; the next look tries again", e);
        }
    }

    private void deleteOldWeeks() {
        int oldest = WeekBucket.of(clock.instant()) - limits.retentionWeeks();
        if (oldest > deletedBeforeWeek && !store.deleteBefore(oldest)) {
            deletedBeforeWeek = oldest;
        }
    }
}
