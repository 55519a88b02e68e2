package org.sallyport.execution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Runs work concurrently, and waits for conditions that become true asynchronously. */
public final class ConcurrencyTestUtil {
    private ConcurrencyTestUtil() {}

    /**
     * Starts {@code work} on {@code times} threads at the same moment. Returns the results in the order of the thread
     * numbers.
     */
    public static <T> List<T> runConcurrently(int times, IntFunction<T> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(times);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                int number = i;
                Callable<T> task = () -> {
                    start.await();
                    return work.apply(number);
                };
                futures.add(threads.submit(task));
            }
            start.countDown();
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(60, TimeUnit.SECONDS));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    /**
     * Polls {@code question} until it returns true. Throws {@link AssertionError} if it is still false after
     * {@code timeout}.
     */
    public static void awaitCondition(Duration timeout, Supplier<Boolean> question) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (!question.get()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("still not so after " + timeout);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
