package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class TenantExecutorsTest {
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final List<String> executed = new ArrayList<>();
    private boolean shutDown;
    private final TenantExecutors executors = new TenantExecutors(task -> {
        if (shutDown) {
            throw new RejectedExecutionException("shut down, as the test says");
        }
        threads.add(task);
    });

    private void execute(String tenant, String... names) {
        Executor executor = executors.of(tenant);
        for (String name : names) {
            executor.execute(() -> executed.add(name));
        }
    }

    private void runThreads() {
        while (!threads.isEmpty()) {
            threads.remove().run();
        }
    }

    @Test
    void tenantsTakeTurns() {
        execute("a", "a1", "a2", "a3", "a4");
        execute("b", "b1", "b2");
        execute("c", "c1");
        runThreads();
        assertThat(executed).containsExactly("a1", "b1", "c1", "a2", "b2", "a3", "a4");
    }

    @Test
    void tenantWithoutTasksBeginsBehindTheOthers() {
        execute("a", "a1", "a2", "a3");
        threads.remove().run();
        execute("b", "b1");
        runThreads();
        assertThat(executed).containsExactly("a1", "a2", "b1", "a3");
    }

    @Test
    void taskThatIsRejectedDoesNotRunInPlaceOfAnother() {
        execute("a", "a1");
        execute("b", "b1");
        shutDown = true;
        assertThatThrownBy(() -> execute("a", "a2")).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> execute("c", "c1")).isInstanceOf(RejectedExecutionException.class);
        runThreads();
        assertThat(executed).containsExactly("a1", "b1");
    }
}
