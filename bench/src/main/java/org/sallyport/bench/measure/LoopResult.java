package org.sallyport.bench.measure;

import java.time.Duration;

/**
 * What one loop saw.
 *
 * @param elapsed from the first start to the last end
 */
public record LoopResult(LatencyRecorder latencies, Duration elapsed) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;

    public long count() {
        return latencies.count();
    }

    /** Operations per second. */
    public double perSecond() {
        return elapsed.isZero() ? 0 : count() * NANOS_PER_SECOND / elapsed.toNanos();
    }

    /** Milliseconds that one operation took of the whole time: what is left of it when many run at once. */
    public double millisPerOperation() {
        return MILLIS_PER_SECOND / perSecond();
    }

    /** Both runs as if they were one. */
    public LoopResult plus(LoopResult other) {
        LatencyRecorder both = new LatencyRecorder();
        both.add(latencies);
        both.add(other.latencies);
        return new LoopResult(both, elapsed.plus(other.elapsed));
    }
}
