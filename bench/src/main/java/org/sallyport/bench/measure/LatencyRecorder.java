package org.sallyport.bench.measure;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Records latencies with three significant digits; its figures are in milliseconds. Threads may record concurrently;
 * read the figures after the last record.
 */
public final class LatencyRecorder {
    private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Histogram histogram = new ConcurrentHistogram(MAX_NANOS, SIGNIFICANT_DIGITS);

    /**
     * Adds one latency, at most ten minutes. A negative latency counts as zero, because the clocks of two processes may
     * differ by a little.
     */
    public void record(long nanos) {
        histogram.recordValue(Math.max(0, Math.min(nanos, MAX_NANOS)));
    }

    /** Adds one latency, like {@link #record(long)}. */
    public void record(Duration duration) {
        record(duration.toNanos());
    }

    /** Adds all latencies of another recorder. */
    public void add(LatencyRecorder other) {
        histogram.add(other.histogram);
    }

    public long count() {
        return histogram.getTotalCount();
    }

    /** Returns the median in milliseconds. */
    public double p50() {
        return percentile(50);
    }

    /** Returns the 99th percentile in milliseconds. */
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
