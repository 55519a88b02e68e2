package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BoundedExecutorTest {
    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final BoundedExecutor executor = new BoundedExecutor(threads::add, 2);
    private final List<String> done = new ArrayList<>();

    private void step() {
        threads.remove().run();
    }

    @Test
    void tasksBeyondTheLimitRunLaterInOrder() {
        for (String name : List.of("a", "b", "c", "d")) {
            executor.execute(() -> done.add(name));
        }

        assertThat(threads).hasSize(2);
        step();
        assertThat(threads).hasSize(2);
        step();
        step();
        step();
        assertThat(threads).isEmpty();
        assertThat(done).containsExactly("a", "b", "c", "d");
    }

    @Test
    void followUpTaskRunsAfterTheWaitingTasks() {
        BoundedExecutor one = new BoundedExecutor(threads::add, 1);
        one.execute(() -> {
            done.add("a1");
            one.execute(() -> done.add("a2"));
        });
        one.execute(() -> done.add("b"));

        while (!threads.isEmpty()) {
            step();
        }
        assertThat(done).containsExactly("a1", "b", "a2");
    }

    @Test
    void failedTaskDoesNotBlockTheNext() {
        BoundedExecutor one = new BoundedExecutor(threads::add, 1);
        one.execute(() -> {
            throw new IllegalStateException("this one");
        });
        one.execute(() -> done.add("next"));

        assertThatThrownBy(this::step).hasMessage("this one");
        step();
        assertThat(done).containsExactly("next");
        one.execute(() -> done.add("later"));
        step();
        assertThat(done).containsExactly("next", "later");
    }

    @Test
    void noTaskIsLostAmongManyThreads() throws InterruptedException {
        ExecutorService many = Executors.newFixedThreadPool(8);
        try {
            BoundedExecutor few = new BoundedExecutor(many, 3);
            AtomicInteger at = new AtomicInteger();
            AtomicInteger maxRunning = new AtomicInteger();
            CountDownLatch all = new CountDownLatch(5_000);
            for (int i = 0; i < 5_000; i++) {
                few.execute(() -> {
                    maxRunning.accumulateAndGet(at.incrementAndGet(), Math::max);
                    at.decrementAndGet();
                    all.countDown();
                });
            }
            assertThat(all.await(120, TimeUnit.SECONDS)).isTrue();
            assertThat(maxRunning.get()).isBetween(1, 3);
        } finally {
            many.shutdownNow();
        }
    }
}
