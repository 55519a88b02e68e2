package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
    private static final long SECOND = 1_000_000_000;

    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final List<String> executed = new ArrayList<>();
    private long nanos;
    private boolean shutDown;
    private final SerialExecutor serial = new SerialExecutor(
            task -> {
                if (shutDown) {
                    throw new RejectedExecutionException("shut down, as the test says");
                }
                threads.add(task);
            },
            () -> nanos);

    private void executeLong(String name) {
        serial.execute(() -> {
            executed.add(name);
            nanos += SECOND;
        });
    }

    @Test
    void longTasksLeaveTheirThreadToOthers() {
        executeLong("first");
        executeLong("second");
        threads.remove().run();
        assertThat(executed).containsExactly("first");
        assertThat(threads).hasSize(1);

        executeLong("third");
        assertThat(threads).as("one task at a time").hasSize(1);
        threads.remove().run();
        threads.remove().run();

        assertThat(executed).containsExactly("first", "second", "third");
        assertThat(threads).isEmpty();
    }

    @Test
    void tasksContinueOnAnotherExecutor() {
        Deque<Runnable> others = new ArrayDeque<>();
        executeLong("first");
        executeLong("second");
        serial.moveTo(others::add);
        threads.remove().run();
        assertThat(threads).isEmpty();
        others.remove().run();
        assertThat(executed).containsExactly("first", "second");
    }

    @Test
    void remainingTasksRunAlthoughTheExecutorIsShutDown() {
        executeLong("first");
        executeLong("second");
        shutDown = true;
        threads.remove().run();
        assertThat(executed).containsExactly("first", "second");
    }

    @Test
    void failedTaskDoesNotKeepLaterTasksFromRunning() {
        serial.execute(() -> {
            throw new NoClassDefFoundError("broken, as the test says");
        });
        serial.execute(() -> {
            throw new IllegalStateException("broken, as the test says");
        });
        serial.execute(() -> executed.add("third"));
        threads.remove().run();
        serial.execute(() -> executed.add("fourth"));
        threads.remove().run();
        assertThat(executed).containsExactly("third", "fourth");
    }
}
