package org.sallyport.toolgraph;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BinaryOperator;
import org.sallyport.execution.StoreUnavailableException;

/** Learns a little at each look from executions that have ended, and forgets what is too old. For one thread. */
public final class ToolGraphLearner {
    private static final Logger LOG = System.getLogger(ToolGraphLearner.class.getName());

    private static final int EXECUTIONS = 100;
    private static final int EVENTS = 10_000;
    /** So that a long past does not keep the database busy. */
    private static final int STEPS = 40;

    private final ToolGraphStore store;
    private final BinaryOperator<String> redaction;
    private final ToolGraphStore.Stride stride;
    private final InstantSource clock;
    private int forgotten = Integer.MIN_VALUE;

    /**
     * @param redaction of a tenant and an intent, the intent without what must not be seen
     * @param settled how long ago an execution must have ended
     * @param weeks how many are kept besides the one that is not over
     */
    public ToolGraphLearner(
            ToolGraphStore store, BinaryOperator<String> redaction, Duration settled, int weeks, InstantSource clock) {
        this.store = store;
        this.redaction = redaction;
        this.stride = new ToolGraphStore.Stride(settled, EXECUTIONS, EVENTS, weeks);
        this.clock = clock;
    }

    /** A few steps, if there is something to be learned. */
    public void look() {
        try {
            int steps = 0;
            while (store.learn(stride, redaction) && ++steps < STEPS) {
                // On.
            }
            forget();
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "the tool graph cannot be learned now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the tool graph could not be learned; the next look tries again", e);
        }
    }

    private void forget() {
        int oldest = Week.of(clock.instant()) - stride.weeks();
        if (oldest > forgotten && !store.forget(oldest)) {
            forgotten = oldest;
        }
    }
}
