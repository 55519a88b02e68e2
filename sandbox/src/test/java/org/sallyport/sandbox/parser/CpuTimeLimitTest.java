package org.sallyport.sandbox.parser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CpuTimeLimitTest {
    private static final Duration CPU = Duration.ofMillis(200);
    private final CpuTimeLimit limit = new CpuTimeLimit(CPU, Duration.ofMinutes(5));

    private static <T> T await(CpuTimeLimit limit, FutureTask<T> task) throws Exception {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return limit.await(task, thread);
    }

    @Test
    void returnsTheResult() throws Exception {
        assertThat(await(limit, new FutureTask<>(() -> "done"))).isEqualTo("done");
    }

    @Test
    void waitingTimeDoesNotCountAsCpuTime() throws Exception {
        FutureTask<String> slow = new FutureTask<>(() -> {
            Thread.sleep(3 * CPU.toMillis());
            return "done";
        });

        assertThat(await(limit, slow)).isEqualTo("done");
    }

    @Test
    void computingTaskExceedsTheCpuLimit() {
        AtomicBoolean stop = new AtomicBoolean();
        FutureTask<Long> endless = new FutureTask<>(() -> {
            long rounds = 0;
            while (!stop.get()) {
                rounds++;
            }
            return rounds;
        });
        try {
            assertThatThrownBy(() -> await(limit, endless)).isInstanceOf(TimeoutException.class);
        } finally {
            stop.set(true);
        }
    }

    @Test
    void tasksShareTheLimit() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        ExecutorService executor = Executors.newSingleThreadExecutor(work -> {
            Thread created = new Thread(work);
            created.setDaemon(true);
            thread.set(created);
            return created;
        });
        try {
            Callable<Long> task = () -> compute(CPU.toNanos() * 9 / 10);
            assertThat(limit.await(executor.submit(task), Objects.requireNonNull(thread.get())))
                    .isPositive();
            assertThat(limit.isUsedUp()).isFalse();
            assertThatThrownBy(() -> limit.await(executor.submit(task), Objects.requireNonNull(thread.get())))
                    .isInstanceOf(TimeoutException.class);
            assertThat(limit.isUsedUp()).isTrue();
        } finally {
            executor.shutdownNow();
        }
    }

    /** Computes until the thread has used so much CPU time. */
    private static long compute(long cpuNanos) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        long rounds = 0;
        while (threads.getCurrentThreadCpuTime() - start < cpuNanos) {
            rounds++;
        }
        return rounds;
    }

    @Test
    void waitingTaskExceedsTheElapsedTimeLimit() {
        CpuTimeLimit impatient = new CpuTimeLimit(Duration.ofMillis(10), Duration.ofMillis(50));
        FutureTask<Void> waiting = new FutureTask<>(() -> {
            Thread.sleep(Duration.ofMinutes(5).toMillis());
            return null;
        });

        assertThatThrownBy(() -> await(impatient, waiting)).isInstanceOf(TimeoutException.class);
        waiting.cancel(true);
    }

    @Test
    void taskFailureIsReported() {
        FutureTask<Void> failing = new FutureTask<>(() -> {
            throw new IllegalStateException("no");
        });

        assertThatThrownBy(() -> await(limit, failing))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("no");
    }
}
