package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Latency percentiles of recent calls, accurate to three percent, in constant memory. Includes all calls of the last
 * five minutes and none older than ten. Thread-safe.
 */
public final class LatencyHistogram {
    private static final Duration WINDOW = Duration.ofMinutes(5);
    private static final double MICROS_PER_MILLI = 1_000;

    private final InstantSource clock;
    private Instant windowStart;
    private LatencyBuckets current = new LatencyBuckets();
    private LatencyBuckets previous = new LatencyBuckets();

    LatencyHistogram(InstantSource clock) {
        this.clock = clock;
        this.windowStart = clock.instant();
    }

    /**
     * Upper bounds of the latency of 50, 95 and 99 percent of the calls, in milliseconds.
     *
     * @param count number of calls; if it is 0, the percentiles are 0
     */
    public record LatencyPercentiles(long count, double p50Millis, double p95Millis, double p99Millis) {}

    synchronized void recordDuration(Duration time) {
        rotate();
        current.add(Math.max(0, time.toNanos() / 1_000));
    }

    synchronized LatencyPercentiles percentiles() {
        rotate();
        long count = current.count + previous.count;
        return new LatencyPercentiles(
                count, percentileMillis(count, 50), percentileMillis(count, 95), percentileMillis(count, 99));
    }

    /** A clock that is set back is treated as if time did not advance. */
    private void rotate() {
        Duration since = Duration.between(windowStart, clock.instant());
        if (since.compareTo(WINDOW) >= 0) {
            boolean old = since.compareTo(WINDOW.multipliedBy(2)) >= 0;
            previous = old ? new LatencyBuckets() : current;
            current = new LatencyBuckets();
            windowStart = old ? clock.instant() : windowStart.plus(WINDOW);
        }
    }

    private double percentileMillis(long count, int percent) {
        long rank = (count * percent + 99) / 100;
        long seen = 0;
        for (int slot = 0; slot < LatencyBuckets.BUCKETS && rank > 0; slot++) {
            seen += current.counts[slot] + previous.counts[slot];
            if (seen >= rank) {
                return LatencyBuckets.upperBound(slot) / MICROS_PER_MILLI;
            }
        }
        return 0;
    }

    /** Counts microseconds: exact up to 63, then 32 equal buckets for each power of two. */
    private static final class LatencyBuckets {
        private static final int SUB_BUCKET_BITS = 5;
        private static final int SUB_BUCKETS = 1 << SUB_BUCKET_BITS;
        /** About 71 minutes; longer calls are counted as this value. */
        private static final long MAX_MICROS = (1L << 32) - 1;

        static final int BUCKETS = bucketOf(MAX_MICROS) + 1;

        final int[] counts = new int[BUCKETS];
        long count;

        void add(long micros) {
            counts[bucketOf(Math.min(MAX_MICROS, micros))]++;
            count++;
        }

        private static int bucketOf(long micros) {
            int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(micros) - SUB_BUCKET_BITS - 1);
            return shift * SUB_BUCKETS + (int) (micros >> shift);
        }

        /** Largest value of a bucket. */
        static long upperBound(int slot) {
            int shift = Math.max(0, slot / SUB_BUCKETS - 1);
            return ((long) (slot - shift * SUB_BUCKETS) + 1 << shift) - 1;
        }
    }
}
