package org.sallyport.sandbox.parser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class CpuTimeLimitTest {
    private static final Duration CPU = Duration.ofMillis(200);
    private static final CpuTimeLimit LIMIT = new CpuTimeLimit(CPU, Duration.ofMinutes(5));

    private static <T> T await(CpuTimeLimit limit, FutureTask<T> task) throws Exception {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return limit.await(task, thread);
    }

    @Test
    void returnsTheResult() throws Exception {
        assertThat(await(LIMIT, new FutureTask<>(() -> "done"))).isEqualTo("done");
    }

    @Test
    void waitingTimeDoesNotCountAsCpuTime() throws Exception {
        FutureTask<String> slow = new FutureTask<>(() -> {
            Thread.sleep(3 * CPU.toMillis());
            return "done";
        });

        assertThat(await(LIMIT, slow)).isEqualTo("done");
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
            assertThatThrownBy(() -> await(LIMIT, endless)).isInstanceOf(TimeoutException.class);
        } finally {
            stop.set(true);
        }
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

        assertThatThrownBy(() -> await(LIMIT, failing))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("no");
    }
}
