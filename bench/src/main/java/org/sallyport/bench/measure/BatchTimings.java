package org.sallyport.bench.measure;

import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Work that is too short for a clock, done many times between two looks at it.
 *
 * @param batchMeans how long one took, by the mean of each batch
 * @param operations how often it was done in all batches
 */
public record BatchTimings(LatencyRecorder batchMeans, long operations) {

    /**
     * Does it for a while before anything counts, and then in batches.
     *
     * @param count of batches
     * @param time that one batch takes, about
     * @param warmUp for how long nothing counts; then it is known how many make a batch
     */
    public static BatchTimings measure(int count, Duration time, Duration warmUp, Callable<?> work) throws Exception {
        long start = System.nanoTime();
        long done = 0;
        long took;
        do {
            work.call();
            done++;
            took = System.nanoTime() - start;
        } while (took < warmUp.toNanos());
        // The mean is of young code, too: a batch becomes shorter than it should be, never longer.
        long size = Math.max(1, done * time.toNanos() / took);
        LatencyRecorder each = new LatencyRecorder();
        for (int i = 0; i < count; i++) {
            each.record(runBatch(size, work) / size);
        }
        return new BatchTimings(each, count * size);
    }

    private static long runBatch(long size, Callable<?> work) throws Exception {
        long start = System.nanoTime();
        for (long i = 0; i < size; i++) {
            if (work.call() == null) {
                throw new WrongResultException("nothing came out");
            }
        }
        return System.nanoTime() - start;
    }
}
