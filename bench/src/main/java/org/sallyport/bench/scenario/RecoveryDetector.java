package org.sallyport.bench.scenario;

import org.sallyport.bench.measure.LatencyRecorder;

/**
 * Detects when a service is as fast as before the overload. A single fast response may be chance, so it uses the median
 * of several in a row. Not thread-safe.
 */
final class RecoveryDetector {
    /** Maximum ratio to the latency before the overload. The same ratio is the target of P7. */
    private static final double MAX_RATIO = 1.5;

    private static final int CONSECUTIVE = 11;

    private final double maxMillis;
    private LatencyRecorder consecutive = new LatencyRecorder();

    /** @param usual latency before the overload, in milliseconds */
    RecoveryDetector(double usual) {
        this.maxMillis = MAX_RATIO * usual;
    }

    /** Counts a served request. */
    void recordServed(long nanos) {
        if (consecutive.count() == CONSECUTIVE) {
            consecutive = new LatencyRecorder();
        }
        consecutive.record(nanos);
    }

    /** Starts over after a rejected request. */
    void recordRejected() {
        consecutive = new LatencyRecorder();
    }

    /** Returns whether enough requests in a row were served and half of them were fast enough. */
    boolean isRecovered() {
        return consecutive.count() == CONSECUTIVE && consecutive.p50() <= maxMillis;
    }
}
