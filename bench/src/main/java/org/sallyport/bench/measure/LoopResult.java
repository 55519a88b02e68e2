package org.sallyport.bench.measure;

import java.time.Duration;

/**
 * Result of one loop.
 *
 * @param elapsed time from the start of the first operation to the end of the last one
 */
public record LoopResult(LatencyRecorder latencies, Duration elapsed) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;

    public long count() {
        return latencies.count();
    }

    /** Returns the operations per second. */
    public double perSecond() {
        return elapsed.isZero() ? 0 : count() * NANOS_PER_SECOND / elapsed.toNanos();
    }

    /**
     * Returns the elapsed milliseconds divided by the number of operations; less than the latency if operations
     * overlap.
     */
    public double millisPerOperation() {
        return MILLIS_PER_SECOND / perSecond();
    }

    /** Returns both results as one. */
    public LoopResult plus(LoopResult other) {
        LatencyRecorder both = new LatencyRecorder();
        both.add(latencies);
        both.add(other.latencies);
        return new LoopResult(both, elapsed.plus(other.elapsed));
    }
}
