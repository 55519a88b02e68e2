package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
    @Test
    void failedTaskDoesNotKeepLaterTasksFromRunning() {
        Deque<Runnable> pool = new ArrayDeque<>();
        SerialExecutor tasks = new SerialExecutor(pool::add);
        List<String> run = new ArrayList<>();
        tasks.execute(() -> {
            throw new NoClassDefFoundError("broken, as the test says");
        });
        tasks.execute(() -> {
            throw new IllegalStateException("broken, as the test says");
        });
        tasks.execute(() -> run.add("third"));
        pool.remove().run();
        tasks.execute(() -> run.add("fourth"));
        pool.remove().run();
        assertThat(run).containsExactly("third", "fourth");
    }
}
