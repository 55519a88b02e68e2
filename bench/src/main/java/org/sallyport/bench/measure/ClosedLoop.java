package org.sallyport.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps a fixed number of operations in flight: each thread starts the next operation when its last one has ended (a
 * closed workload). The first failure ends the loop and is thrown.
 */
public final class ClosedLoop {
    private final int concurrency;
    private final AtomicLong numbers = new AtomicLong();

    public ClosedLoop(int concurrency) {
        this.concurrency = concurrency;
    }

    /** Starts operations until the time is over, and waits for those in flight. */
    public LoopResult runFor(Duration time, TimedOperation operation) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        return run(operation, Long.MAX_VALUE, end);
    }

    /** Runs exactly {@code count} operations, numbered from 0. */
    public LoopResult runTimes(long count, TimedOperation operation) throws Exception {
        numbers.set(0);
        return run(operation, count, Long.MAX_VALUE);
    }

    private LoopResult run(TimedOperation operation, long count, long end) throws Exception {
        LatencyRecorder latencies = new LatencyRecorder();
        List<Callable<Void>> lanes = new ArrayList<>();
        for (int i = 0; i < concurrency; i++) {
            lanes.add(() -> {
                while (System.nanoTime() < end && !Thread.currentThread().isInterrupted()) {
                    long number = numbers.getAndIncrement();
                    if (number >= count) {
                        break;
                    }
                    latencies.record(operation.runOnce(number));
                }
                return null;
            });
        }
        long start = System.nanoTime();
        ParallelTasks.runAll(lanes);
        return new LoopResult(latencies, Duration.ofNanos(System.nanoTime() - start));
    }
}
