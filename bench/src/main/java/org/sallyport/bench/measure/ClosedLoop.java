package org.sallyport.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps a fixed number of operations in flight: each thread begins the next when its last has ended. The first failure ends
 * the loop and is thrown.
 */
public final class ClosedLoop {
    private final int concurrency;
    private final AtomicLong numbers = new AtomicLong();

    public ClosedLoop(int concurrency) {
        this.concurrency = concurrency;
    }

    /** Begins operations until the time is over, and waits for those that are under way. */
    public Measured during(Duration time, Operation operation) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        return run(operation, Long.MAX_VALUE, end);
    }

    /** Does exactly so many operations, numbered from 0. */
    public Measured times(long count, Operation operation) throws Exception {
        numbers.set(0);
        return run(operation, count, Long.MAX_VALUE);
    }

    private Measured run(Operation operation, long count, long end) throws Exception {
        Latencies latencies = new Latencies();
        List<Callable<Void>> lanes = new ArrayList<>();
        for (int i = 0; i < concurrency; i++) {
            lanes.add(() -> {
                while (System.nanoTime() < end && !Thread.currentThread().isInterrupted()) {
                    long number = numbers.getAndIncrement();
                    if (number >= count) {
                        break;
                    }
                    latencies.record(operation.once(number));
                }
                return null;
            });
        }
        long start = System.nanoTime();
        Lanes.runAll(lanes);
        return new Measured(latencies, Duration.ofNanos(System.nanoTime() - start));
    }
}
