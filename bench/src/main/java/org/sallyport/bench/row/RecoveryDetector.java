package org.sallyport.bench.row;

import org.sallyport.bench.measure.LatencyRecorder;

/** Tells when a service is as quick as it was: one that is quick may be luck, so it is the median of some in a row. Not thread-safe. */
final class RecoveryDetector {
    /** Of what it took before, as beside other work (P7). */
    private static final double MAX_RATIO = 1.5;

    private static final int CONSECUTIVE = 11;

    private final double maxMillis;
    private LatencyRecorder consecutive = new LatencyRecorder();

    /**
     * @param usual milliseconds that one took before
     */
    RecoveryDetector(double usual) {
        this.maxMillis = MAX_RATIO * usual;
    }

    /** Counts one that was served. */
    void recordServed(long nanos) {
        if (consecutive.count() == CONSECUTIVE) {
            consecutive = new LatencyRecorder();
        }
        consecutive.record(nanos);
    }

    /** Begins a new row: one was refused. */
    void recordRejected() {
        consecutive = new LatencyRecorder();
    }

    /** Whether those in a row are as many as count, and half of them quick enough. */
    boolean isRecovered() {
        return consecutive.count() == CONSECUTIVE && consecutive.p50() <= maxMillis;
    }
}
