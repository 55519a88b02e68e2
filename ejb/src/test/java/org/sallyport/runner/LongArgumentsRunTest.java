package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.TraceEvent;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.policy.Policy;

/** Executions whose calls have long arguments, with the real sandbox. */
class LongArgumentsRunTest {
    private static final String LONG_CALLS = """
            const text = 'x'.repeat(40_000);
            const calls = [];
            for (let n = 0; n < 20; n++) calls.push(b.again({ n, text }));
            await b.read({});
            return (await Promise.all(calls)).map((reply) => reply.echo.n).join();
            """;

    private static final String RESULT = "\"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19\"";

    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> Policy.defaultPolicy());
    private final MemoryBudget budget = runs.memory.arguments();

    private static void await(Supplier<Boolean> what) throws InterruptedException {
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), what);
    }

    private ExecutionState state(ExecutionId id) {
        return runs.store.row(id).state;
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    private MemoryBudget.MemoryReservation reserveShare() {
        return budget.tryReserve("t", budget.maxBytesPerOwner()).orElseThrow();
    }

    @Test
    void longCallWaitsForMemoryAndOtherRunsDoNot() throws Exception {
        MemoryBudget.MemoryReservation share = reserveShare();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId waiting = runs.submit(LONG_CALLS, Optional.empty());
        node.run(waiting);
        await(() -> budget.waitingCount() == 1);
        assertThat(runs.toolBridge.takeCalls()).isEmpty();

        ExecutionId other = runs.submit("return (await b.again({ n: 1 })).echo.n", Optional.empty());
        node.run(other);
        await(() -> state(other) == ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 again");

        share.close();
        await(() -> state(waiting) == ExecutionState.COMPLETED);
        assertThat(result(waiting)).isEqualTo(RESULT);
        await(() -> budget.usedBytes() == 0);
    }

    @Test
    void runThatEndsWhileItsCallWaitsLeavesNothingBehind() throws Exception {
        MemoryBudget.MemoryReservation share = reserveShare();
        ExecutionRunner node = runs.newNode(8);
        runs.limits = new ExecutionLimits(500, 20_000, 64 << 20, 1_000, 100_000);
        ExecutionId id = runs.submit("await b.effect({ text: 'x'.repeat(40_000) })", Optional.empty());
        node.run(id);
        await(() -> state(id) == ExecutionState.TIMED_OUT && node.liveCount() == 0);
        await(() -> budget.waitingCount() == 0);
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        share.close();
        assertThat(budget.usedBytes()).isZero();
    }

    /** A replay makes the calls that the script does not await, although it needs only recorded replies to end. */
    @Test
    void endWaitsForCallsThatAnEarlierRunMade() throws Exception {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit(
                "const first = b.read({}); b.again({ text: 'x'.repeat(40_000) }); await first; return 1",
                Optional.empty());
        node.run(id);
        await(() -> runs.toolBridge.heldReplies() == 2);
        runs.toolBridge.releaseReply();
        await(() -> state(id) == ExecutionState.COMPLETED && node.liveCount() == 0);
        runs.toolBridge.stopHolding();
        // As if the node had died after the first reply.
        List<TraceEvent> trace = runs.store.row(id).trace;
        while (!(trace.get(trace.size() - 1) instanceof TraceEvent.ToolEnded ended && ended.call() == 1)) {
            trace.remove(trace.size() - 1);
        }
        runs.store.recover(id);
        await(() -> budget.usedBytes() == 0);
        MemoryBudget.MemoryReservation share = reserveShare();
        ExecutionRunner next = runs.newNode(8);
        next.run(id);
        await(() -> budget.waitingCount() == 1);

        share.close();
        await(() -> state(id).isTerminal() && next.liveCount() == 0);
        assertThat(result(id)).isEqualTo("1");
    }

    @Test
    void memoryOfOpenCallsIsFreedAfterTheEndOfTheRun() throws Exception {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit(
                "const first = b.read({}); b.effect({ text: 'x'.repeat(40_000) }); await first; return 1",
                Optional.empty());
        node.run(id);
        await(() -> runs.toolBridge.heldReplies() == 2);
        assertThat(budget.usedBytes("t")).isGreaterThan(4 * 40_000);

        runs.toolBridge.releaseReply();
        await(() -> state(id) == ExecutionState.COMPLETED);
        await(() -> budget.usedBytes() == 0);
    }

    @Test
    void callWhoseSendingFailsEndsTheRunAndFreesItsMemory() throws Exception {
        runs.toolBridge.breakSends(() -> {
            throw new NoClassDefFoundError("broken, as the test says");
        });
        ExecutionId id = runs.submit("await b.effect({ text: 'x'.repeat(40_000) })", Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.FAILED);
        assertThat(result(id)).contains("internal-error");
        await(() -> budget.usedBytes() == 0);
    }

    @Test
    void callWhoseReplyFailsIsAnsweredAndFreesItsMemory() throws Exception {
        runs.toolBridge.breakSends(
                () -> CompletableFuture.failedFuture(new IllegalStateException("broken, as the test says")));
        ExecutionId id = runs.submit(
                "const text = 'x'.repeat(40_000); const code = (e) => e.code;"
                        + " return [await b.effect({ text }).catch(code), await b.read({ text }).catch(code)]",
                Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[\"outcome-unknown\",\"backend-unavailable\"]");
        await(() -> budget.usedBytes() == 0);
    }

    /** Otherwise the calls of executions would keep the memory that the scripts of their capabilities need. */
    @Test
    void callOfACapabilityHoldsNoMemoryWhileItsExecutionRuns() throws Exception {
        runs.publishCapability("shop.x");
        runs.grants = List.of("*");
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit(
                "return (await mcp.shop.x({ text: 'x'.repeat(40_000) })).echo.text.length", Optional.empty());
        node.run(id);
        await(() -> runs.toolBridge.heldReplies() == 1);
        await(() -> budget.usedBytes() == 0);
        runs.toolBridge.releaseReply();
        await(() -> state(id) == ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("40000");
    }

    /** A replay compares the arguments of calls that have a recorded reply, and drops them at once. */
    @Test
    void replayDoesNotWaitForMemory() throws Exception {
        ExecutionId id = runs.submit(LONG_CALLS, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        runs.toolBridge.takeCalls();
        List<TraceEvent> trace = runs.store.row(id).trace;
        while (!(trace.get(trace.size() - 1) instanceof TraceEvent.ToolEnded)) {
            trace.remove(trace.size() - 1);
        }
        runs.store.recover(id);
        MemoryBudget.MemoryReservation share = reserveShare();

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);

        assertThat(result(id)).isEqualTo(RESULT);
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        share.close();
    }

    @Test
    void callsThatWaitedHaveTheSameOrdinalsAfterEachCrash() throws Exception {
        List<String> without = callsOf(runs.submit(LONG_CALLS, Optional.empty()), List.of());
        for (int written = 1; written < 12; written++) {
            ExecutionId id = runs.submit(LONG_CALLS, Optional.empty());
            assertThat(callsOf(id, List.of(written, 2 * written))).containsExactlyInAnyOrderElementsOf(without);
            assertThat(result(id)).isEqualTo(RESULT);
        }
        await(() -> budget.usedBytes() == 0);
    }

    private List<String> callsOf(ExecutionId id, List<Integer> deaths) throws InterruptedException {
        runs.runThroughCrashes(id, deaths);
        return runs.toolBridge.takeCalls();
    }

    @Test
    void rerunDoesNotWaitForMemoryForRecordedCalls() throws Exception {
        ExecutionId id = runs.submit(LONG_CALLS, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        MemoryBudget.MemoryReservation share = reserveShare();
        ExecutionId rerun =
                runs.submit(LONG_CALLS, Optional.of(new RerunOrigin(id, RerunOrigin.RerunMode.OFFLINE, 1, false)));
        assertThat(runs.runOnNewNode(rerun)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(rerun)).isEqualTo(RESULT);
        share.close();
    }

    @Test
    void rerunReleasesTheArgumentsOfRecordedCalls() throws Exception {
        ExecutionId id = runs.submit(LONG_CALLS, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        // The memory is enough for a few of the calls, and the recorded replies come in the order of the recording.
        MemoryBudget.MemoryReservation others =
                budget.tryReserve("t", budget.maxBytesPerOwner() - 4 * 100_000).orElseThrow();
        ExecutionId rerun =
                runs.submit(LONG_CALLS, Optional.of(new RerunOrigin(id, RerunOrigin.RerunMode.OFFLINE, 1, false)));
        assertThat(runs.runOnNewNode(rerun)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(rerun)).isEqualTo(RESULT);
        assertThat(budget.usedBytes()).isEqualTo(others.bytes());
        others.close();
    }
}
