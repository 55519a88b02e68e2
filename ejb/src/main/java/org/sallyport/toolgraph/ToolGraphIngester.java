package org.sallyport.toolgraph;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BinaryOperator;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Ingests ended executions into the tool graph in bounded steps, and deletes data beyond the retention. Not
 * thread-safe: one thread per node uses it.
 */
public final class ToolGraphIngester {
    private static final Logger LOG = System.getLogger(ToolGraphIngester.class.getName());

    private static final int MAX_EXECUTIONS_PER_STEP = 100;
    private static final int MAX_EVENTS_PER_STEP = 10_000;
    /** Bounds one poll, so that a large backlog does not keep the database busy. */
    private static final int MAX_STEPS = 40;

    private final ToolGraphStore store;
    private final BinaryOperator<String> intentRedactor;
    private final ToolGraphStore.IngestLimits limits;
    private final InstantSource clock;
    private int deletedBeforeWeek = Integer.MIN_VALUE;

    /**
     * @param redaction redacts an intent; takes the tenant and the intent
     * @param settled how long ago an execution must have ended
     * @param weeks retention in complete weeks, besides the current week
     */
    public ToolGraphIngester(
            ToolGraphStore store, BinaryOperator<String> redaction, Duration settled, int weeks, InstantSource clock) {
        this.store = store;
        this.intentRedactor = redaction;
        this.limits = new ToolGraphStore.IngestLimits(settled, MAX_EXECUTIONS_PER_STEP, MAX_EVENTS_PER_STEP, weeks);
        this.clock = clock;
    }

    /** Runs a bounded number of steps while there are executions to ingest. */
    public void poll() {
        try {
            int steps = 0;
            while (store.ingest(limits, intentRedactor) && ++steps < MAX_STEPS) {
                // Continue; the condition has the side effect.
            }
            deleteOldWeeks();
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the tool graph cannot be updated while the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the tool graph could not be updated; the next poll tries again", e);
        }
    }

    private void deleteOldWeeks() {
        int oldest = WeekBucket.of(clock.instant()) - limits.retentionWeeks();
        if (oldest > deletedBeforeWeek && !store.deleteBefore(oldest)) {
            deletedBeforeWeek = oldest;
        }
    }
}
