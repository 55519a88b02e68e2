package org.sallyport.bench.measure;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts operations at a fixed rate, whether or not earlier ones have ended (an open workload). Latency is measured
 * from the time at which an operation was due, so a late start counts as latency. The first failure ends the loop and
 * is thrown.
 */
public final class OpenLoop {
    private static final double NANOS_PER_SECOND = 1e9;

    private final double perSecond;
    private final int maxInFlight;

    /**
     * @param perSecond operations to start per second
     * @param maxInFlight maximum number of operations in flight, which bounds the memory of unanswered operations; an
     *     operation that is due beyond this limit starts late, or not at all when the time is over
     */
    public OpenLoop(double perSecond, int maxInFlight) {
        if (perSecond <= 0 || maxInFlight < 1) {
            throw new IllegalArgumentException(
                    perSecond + " operations per second, " + maxInFlight + " in flight: both must be positive");
        }
        this.perSecond = perSecond;
        this.maxInFlight = maxInFlight;
    }

    /**
     * Starts operations until the time is over, and waits for those in flight. The elapsed time of the result does not
     * include this wait.
     */
    public <A> LoopResult runFor(Duration time, AsyncOperation<A> arrivals) throws Exception {
        LatencyRecorder latencies = new LatencyRecorder();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Semaphore places = new Semaphore(maxInFlight);
        long start = System.nanoTime();
        long begun = 0;
        while (failure.get() == null) {
            long number = begun;
            long due = Math.round(number * NANOS_PER_SECOND / perSecond);
            if (due >= time.toNanos()) {
                break;
            }
            sleepUntil(start + due);
            long left = start + time.toNanos() - System.nanoTime();
            if (left <= 0 || !places.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                break;
            }
            begun++;
            arrivals.start(number).whenComplete((answer, thrown) -> {
                latencies.record(System.nanoTime() - start - due);
                try {
                    if (thrown == null) {
                        arrivals.checkResult(number, answer);
                    } else {
                        failure.compareAndSet(null, thrown);
                    }
                } catch (WrongResultException | RuntimeException | Error e) {
                    failure.compareAndSet(null, e);
                } finally {
                    places.release();
                }
            });
        }
        long elapsed = System.nanoTime() - start;
        places.acquire(maxInFlight);
        if (failure.get() != null) {
            throw unwrap(failure.get());
        }
        return new LoopResult(latencies, Duration.ofNanos(Math.max(elapsed, time.toNanos())));
    }

    private static void sleepUntil(long moment) throws InterruptedException {
        for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /** Returns the cause of the failure; throws it if it is an {@link Error}. */
    private static Exception unwrap(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof Exception exception ? exception : new IllegalStateException(cause);
    }
}
