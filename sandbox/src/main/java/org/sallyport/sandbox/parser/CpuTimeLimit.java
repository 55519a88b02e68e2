package org.sallyport.sandbox.parser;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for the ends of tasks, one after the other, and stops waiting when their threads have used the limit of CPU
 * time together. Time in which a thread gets no processor does not count, so that a busy machine does not fail a task.
 * Not thread-safe.
 */
final class CpuTimeLimit {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long MIN_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private long cpuNanosLeft;
    private long elapsedNanosLeft;

    /**
     * @param cpu the limit of CPU time of all tasks
     * @param elapsed the limit of elapsed time of all tasks, for a thread that waits and computes nothing
     */
    CpuTimeLimit(Duration cpu, Duration elapsed) {
        cpuNanosLeft = cpu.toNanos();
        elapsedNanosLeft = elapsed.toNanos();
    }

    /** Returns whether earlier tasks have used one of the two limits. */
    boolean isUsedUp() {
        return cpuNanosLeft <= 0 || elapsedNanosLeft <= 0;
    }

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
        try {
            return await(task, thread, startNanos, cpuBefore);
        } finally {
            cpuNanosLeft -= Math.max(0, cpuNanos(thread) - cpuBefore);
            elapsedNanosLeft -= System.nanoTime() - startNanos;
        }
    }

    private <T> T await(Future<T> task, Thread thread, long startNanos, long cpuBefore)
            throws InterruptedException, ExecutionException, TimeoutException {
        long wait = Math.max(cpuNanosLeft, MIN_WAIT_NANOS);
        while (true) {
            try {
                return task.get(wait, TimeUnit.NANOSECONDS);
            } catch (TimeoutException notYet) {
                long left = cpuNanosLeft - (cpuNanos(thread) - cpuBefore);
                if (left <= 0 || System.nanoTime() - startNanos >= elapsedNanosLeft) {
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
