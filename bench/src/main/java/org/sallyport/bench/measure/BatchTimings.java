package org.sallyport.bench.measure;

import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Timings of work that is too short to be measured alone: the clock is read once before and once after each batch.
 *
 * @param batchMeans duration of one operation, as the mean of each batch
 * @param operations number of operations in all batches
 */
public record BatchTimings(LatencyRecorder batchMeans, long operations) {

    /**
     * Runs the work during a warm-up, which gives the size of a batch, and then in batches.
     *
     * @param count number of batches
     * @param time approximate duration of one batch
     * @param warmUp duration of the warm-up
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
        // The warm-up also runs code that is not compiled yet, so its mean is too high: a batch may be shorter than
        // {@code time}, never longer.
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
                throw new WrongResultException("the work returned no result");
            }
        }
        return System.nanoTime() - start;
    }
}
