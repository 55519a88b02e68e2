package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

class ArgumentMemoryTest {
    private static final int SHARE_CHARS = 1_000;

    private final MemoryBudget budget = new MemoryBudget("arguments", 2 * 4 * SHARE_CHARS);
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final ArgumentMemory memory = new ArgumentMemory(budget, "t", tasks::add);

    private CompletableFuture<?> reserve(long call, int chars) {
        return memory.reserve(call, chars).toCompletableFuture();
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    @Test
    void callWaitsUntilAnotherIsReleased() {
        assertThat(reserve(1, 600)).isCompleted();
        CompletableFuture<?> second = reserve(2, 600);
        assertThat(second).isNotDone();

        memory.release(1);
        memory.release(1);

        // Not on the thread that released the memory, which may hold locks of another run.
        assertThat(second).isNotDone();
        runTasks();
        assertThat(second).isCompleted();
        assertThat(budget.usedBytes("t")).isEqualTo(4 * 600);
        memory.release(2);
        memory.release(3);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void callHasOneReservation() {
        assertThat(reserve(1, 600)).isCompleted();
        CompletableFuture<?> second = reserve(2, 600);

        assertThat(reserve(2, 600)).isSameAs(second);
        assertThat(memory.release(1)).isTrue();
        assertThat(memory.release(1)).isFalse();
        runTasks();

        assertThat(second).isCompleted();
        assertThat(memory.release(2)).isTrue();
        assertThat(budget.usedBytes()).isZero();
        assertThat(budget.waitingCount()).isZero();
    }

    @Test
    void callsOfOtherTenantsDoNotWait() {
        ArgumentMemory other = new ArgumentMemory(budget, "u", tasks::add);
        assertThat(reserve(1, SHARE_CHARS)).isCompleted();
        assertThat(reserve(2, 1)).isNotDone();
        assertThat(other.reserve(1, SHARE_CHARS).toCompletableFuture()).isCompleted();
    }

    @Test
    void argumentsLargerThanTheShareOfATenantAreSentAlone() {
        assertThat(reserve(1, 100 * SHARE_CHARS)).isCompleted();
        assertThat(budget.usedBytes()).isEqualTo(4 * SHARE_CHARS);
        assertThat(reserve(2, 1)).isNotDone();
    }

    @Test
    void endOfTheRunFreesTheMemoryOfCallsThatWereNotSent() {
        CompletableFuture<ToolReply> reply = new CompletableFuture<>();
        assertThat(reserve(1, 400)).isCompleted();
        assertThat(reserve(2, 400)).isCompleted();
        CompletableFuture<?> waiting = reserve(3, 400);

        memory.close(Map.of(1L, reply));
        runTasks();

        assertThat(budget.usedBytes()).isEqualTo(4 * 400);
        assertThat(waiting).isCompletedExceptionally();
        assertThat(reserve(4, 1)).isCompletedExceptionally();

        reply.complete(ToolReply.local(ToolResult.success(Json.NULL)));

        assertThat(budget.usedBytes()).isZero();
        assertThat(budget.waitingCount()).isZero();
    }
}
