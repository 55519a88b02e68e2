package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.policy.Policy;
import org.sallyport.tool.Json;

/** Executions whose results, or whose replies, are long and are not written at once, with the real sandbox. */
class LongResultsRunTest {
    private static final String LONG_RESULT = "return 'x'.repeat(40_000)";

    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> Policy.defaultPolicy());
    private final MemoryBudget budget = runs.memory.results();

    private static void await(Supplier<Boolean> what) throws InterruptedException {
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), what);
    }

    private ExecutionState state(ExecutionId id) {
        return runs.store.row(id).state;
    }

    private MemoryBudget.MemoryReservation reserveShare() {
        return budget.tryReserve("t", budget.maxBytesPerOwner()).orElseThrow();
    }

    @Test
    void longResultWaitsForMemoryAndIsNotLate() throws Exception {
        MemoryBudget.MemoryReservation share = reserveShare();
        ExecutionRunner node = runs.newNode(8);
        runs.limits = new ExecutionLimits(1_000, 20_000, 64 << 20, 1_000, 100_000);
        ExecutionId waiting = runs.submit(LONG_RESULT, Optional.empty());
        node.run(waiting);
        await(() -> budget.waitingCount() == 1);
        ExecutionId late = runs.submit("for (;;) await sleep(50)", Optional.empty());
        node.run(late);
        await(() -> state(late) == ExecutionState.TIMED_OUT);
        assertThat(state(waiting)).isEqualTo(ExecutionState.RUNNING);

        share.close();

        await(() -> state(waiting) == ExecutionState.COMPLETED);
        assertThat(runs.store.row(waiting).outcome)
                .isEqualTo(new ExecutionOutcome.ExecutionCompleted(new Json("\"" + "x".repeat(40_000) + "\"")));
        await(() -> budget.usedBytes() == 0);
    }

    @Test
    void executionIsCancelledWhileItsResultWaits() throws Exception {
        MemoryBudget.MemoryReservation share = reserveShare();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit(LONG_RESULT, Optional.empty());
        node.run(id);
        await(() -> budget.waitingCount() == 1);

        node.cancel(id);

        await(() -> state(id) == ExecutionState.CANCELLED && node.liveCount() == 0);
        await(() -> budget.waitingCount() == 0);
        share.close();
        assertThat(budget.usedBytes()).isZero();
    }

    /** Results that are not written hold their memory, so that further ones wait in their sandbox. */
    @Test
    void resultsHoldTheirMemoryWhileTheDatabaseIsAway() throws Exception {
        MemoryBudget.MemoryReservation others =
                budget.tryReserve("t", budget.maxBytesPerOwner() - 4 * 40_002).orElseThrow();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId first = runs.submit("await b.read({}); " + LONG_RESULT, Optional.empty());
        ExecutionId second = runs.submit("await b.read({}); " + LONG_RESULT, Optional.empty());
        runs.toolBridge.holdReplies();
        node.run(first);
        node.run(second);
        await(() -> runs.toolBridge.heldReplies() == 2);
        runs.store.failNext(Integer.MAX_VALUE);
        runs.toolBridge.releaseReply();
        runs.toolBridge.releaseReply();
        await(() -> budget.waitingCount() == 1 && budget.usedBytes("t") == budget.maxBytesPerOwner());

        runs.store.failNext(0);

        await(() -> state(first) == ExecutionState.COMPLETED && state(second) == ExecutionState.COMPLETED);
        await(() -> budget.usedBytes() == others.bytes());
        others.close();
    }

    @Test
    void repliesThatWaitForAWriteCountAsReplies() throws Exception {
        ExecutionRunner node = runs.newNode(8);
        runs.limits = ScriptRunFixture.limitsWithJournal(64 << 20);
        ExecutionId id = runs.submit(
                "const text = 'x'.repeat(98_000); const calls = [];"
                        + " for (let n = 0; n < 50; n++) calls.push(b.again({ n, text }));"
                        + " return (await Promise.all(calls)).length",
                Optional.empty());
        runs.toolBridge.holdReplies();
        node.run(id);
        await(() -> runs.toolBridge.heldReplies() == 50);
        runs.store.failNext(Integer.MAX_VALUE);
        for (int reply = 0; reply < 50; reply++) {
            runs.toolBridge.releaseReply();
        }
        await(() -> runs.memory.replies().usedBytes("t") > 98_000);

        runs.store.failNext(0);

        await(() -> state(id) == ExecutionState.COMPLETED);
        await(() ->
                runs.memory.replies().usedBytes() == 0 && runs.memory.entries().usedBytes() == 0);
    }
}
