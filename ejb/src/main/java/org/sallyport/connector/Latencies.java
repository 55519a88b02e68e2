package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * How long calls have taken lately, within three percent, in as much memory however many there are. What is older than ten minutes is forgotten, what
 * is newer than five is not. Thread-safe.
 */
public final class Latencies {
    private static final Duration HALF = Duration.ofMinutes(5);
    private static final double THOUSAND = 1_000;

    private final InstantSource clock;
    private Instant turn;
    private Histogram current = new Histogram();
    private Histogram before = new Histogram();

    Latencies(InstantSource clock) {
        this.clock = clock;
        this.turn = clock.instant();
    }

    /**
     * What half, 95 and 99 of a hundred calls took at most.
     *
     * @param count of how many calls; the rest is 0 when there are none
     */
    public record Percentiles(long count, double p50Millis, double p95Millis, double p99Millis) {}

    synchronized void took(Duration time) {
        turn();
        current.add(Math.max(0, time.toNanos() / 1_000));
    }

    synchronized Percentiles percentiles() {
        turn();
        long count = current.count + before.count;
        return new Percentiles(count, millis(count, 50), millis(count, 95), millis(count, 99));
    }

    /** Time that is set back is time that stands still. */
    private void turn() {
        Duration since = Duration.between(turn, clock.instant());
        if (since.compareTo(HALF) >= 0) {
            boolean old = since.compareTo(HALF.multipliedBy(2)) >= 0;
            before = old ? new Histogram() : current;
            current = new Histogram();
            turn = old ? clock.instant() : turn.plus(HALF);
        }
    }

    private double millis(long count, int percent) {
        long rank = (count * percent + 99) / 100;
        long seen = 0;
        for (int slot = 0; slot < Histogram.SLOTS && rank > 0; slot++) {
            seen += current.counts[slot] + before.counts[slot];
            if (seen >= rank) {
                return Histogram.most(slot) / THOUSAND;
            }
        }
        return 0;
    }

    /** Counts microseconds: up to 63 exactly, from there in 32 equal steps to each power of two. */
    private static final class Histogram {
        private static final int BITS = 5;
        private static final int STEPS = 1 << BITS;
        /** An hour and ten minutes; what takes longer counts as that. */
        private static final long MOST = (1L << 32) - 1;

        static final int SLOTS = slot(MOST) + 1;

        final int[] counts = new int[SLOTS];
        long count;

        void add(long micros) {
            counts[slot(Math.min(MOST, micros))]++;
            count++;
        }

        private static int slot(long micros) {
            int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(micros) - BITS - 1);
            return shift * STEPS + (int) (micros >> shift);
        }

        /** The longest that is counted there. */
        static long most(int slot) {
            int shift = Math.max(0, slot / STEPS - 1);
            return ((long) (slot - shift * STEPS) + 1 << shift) - 1;
        }
    }
}
