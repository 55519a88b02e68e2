package org.sallyport.bench.measure;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** How long operations took, to three digits, in milliseconds. Thread-safe while values are recorded. */
public final class LatencyRecorder {
    private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Histogram histogram = new ConcurrentHistogram(MAX_NANOS, SIGNIFICANT_DIGITS);

    /** Adds one; what is below nothing counts as nothing, since clocks of two processes may differ by a little. */
    public void record(long nanos) {
        histogram.recordValue(Math.max(0, Math.min(nanos, MAX_NANOS)));
    }

    /** As {@link #record(long)}. */
    public void record(Duration duration) {
        record(duration.toNanos());
    }

    /** Adds all of another's. */
    public void add(LatencyRecorder other) {
        histogram.add(other.histogram);
    }

    public long count() {
        return histogram.getTotalCount();
    }

    /** The value that half of all do not exceed. */
    public double p50() {
        return percentile(50);
    }

    /** The value that 99 of 100 do not exceed. */
    public double p99() {
        return percentile(99);
    }

    public double max() {
        return histogram.getMaxValue() / NANOS_PER_MILLI;
    }

    public double mean() {
        return histogram.getMean() / NANOS_PER_MILLI;
    }

    private double percentile(double percentile) {
        return histogram.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }
}
