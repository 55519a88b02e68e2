package org.sallyport.sandbox.parser;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for the end of a task, and stops waiting when the thread of the task has used the limit of CPU time. Time in
 * which the thread gets no processor does not count, so that a busy machine does not fail a task. Thread-safe.
 *
 * @param cpu the limit of CPU time of one task
 * @param wall the limit of elapsed time of one task, for a thread that waits and computes nothing
 */
record CpuTimeLimit(Duration cpu, Duration wall) {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long MIN_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * Returns the result of {@code task}.
     *
     * @param thread runs {@code task}, and nothing else meanwhile
     * @throws TimeoutException when one of the two limits is exceeded; the task keeps running
     * @throws ExecutionException when the task fails
     */
    <T> T await(Future<T> task, Thread thread) throws InterruptedException, ExecutionException, TimeoutException {
        long startNanos = System.nanoTime();
        long cpuBefore = cpuNanos(thread);
        long wait = cpu.toNanos();
        while (true) {
            try {
                return task.get(wait, TimeUnit.NANOSECONDS);
            } catch (TimeoutException notYet) {
                long left = cpu.toNanos() - (cpuNanos(thread) - cpuBefore);
                if (left <= 0 || System.nanoTime() - startNanos >= wall.toNanos()) {
                    throw notYet;
                }
                wait = Math.max(left, MIN_WAIT_NANOS);
            }
        }
    }

    /** Returns the CPU time of a thread; 0 for a thread that has not been started. */
    private static long cpuNanos(Thread thread) {
        return Math.max(0, THREADS.getThreadCpuTime(thread.getId()));
    }
}
