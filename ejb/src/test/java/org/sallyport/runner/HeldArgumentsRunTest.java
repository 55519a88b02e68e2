package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.journal.TraceEvent;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.policy.Policy;

/** Executions whose calls with long arguments wait for approvals, or are open when the execution is resumed. */
class HeldArgumentsRunTest {
    private static final int CHARS = 40_000;
    /** A little more than the memory of one call. */
    private static final long CALL_BYTES = 4 * (CHARS + 1_000);

    private static final String TEXT = "const text = 'x'.repeat(" + CHARS + ");";

    private final ScriptRunFixture runs =
            new ScriptRunFixture(tenant -> Policy.defaultPolicy(), Duration.ofMillis(100));
    private final MemoryBudget budget = runs.memory.arguments();
    private final ExecutionRunner node = runs.newNode(8);

    /** A script that makes {@code count} calls that need approvals, and is not parked meanwhile. */
    private static String mails(int count) {
        return TEXT + " const timer = setInterval(() => 0, 5); const mails = [];"
                + " for (let n = 1; n <= " + count + "; n++) mails.push(b.mail({ n, text }));"
                + " const replies = await Promise.all(mails); clearInterval(timer);"
                + " return replies.every((reply, i) => reply.echo.n === i + 1 && reply.echo.text === text)";
    }

    private static List<String> mailCalls(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(n -> n + " mail").toList();
    }

    private void await(Supplier<Boolean> what) throws InterruptedException {
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> {
            node.poll();
            return what.get();
        });
    }

    private ExecutionId start(String code) {
        ExecutionId id = runs.submit(code, Optional.empty());
        node.run(id);
        return id;
    }

    private ExecutionState state(ExecutionId id) {
        return runs.store.row(id).state;
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    private long startedCalls(ExecutionId id) {
        return runs.store.readTrace(id, 0, 1_000).stream()
                .filter(TraceEvent.ToolStarted.class::isInstance)
                .count();
    }

    /** Takes the memory of the tenant, except that of {@code calls} calls. */
    private MemoryBudget.MemoryReservation leaveMemoryFor(int calls) {
        return budget.tryReserve("t", budget.maxBytesPerOwner() - calls * CALL_BYTES)
                .orElseThrow();
    }

    @Test
    void callsThatWaitForApprovalsHoldNoMemory() throws Exception {
        MemoryBudget.MemoryReservation others = leaveMemoryFor(1);
        ExecutionId id = start(mails(3));
        await(() -> runs.approvals.size() == 3);
        await(() -> budget.usedBytes("t") == others.bytes());

        ExecutionId other = start(TEXT + " return (await b.again({ text })).echo.text.length");
        await(() -> state(other) == ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 again");

        runs.approvals.approveAll();
        await(() -> state(id).isTerminal());
        assertThat(result(id)).isEqualTo("true");
        assertThat(runs.toolBridge.takeCalls()).containsExactlyInAnyOrderElementsOf(mailCalls(3));
        await(() -> budget.usedBytes("t") == others.bytes());
        others.close();
    }

    @Test
    void approvedCallWaitsForMemoryAndIsMadeOnce() throws Exception {
        ExecutionId id = start(mails(2));
        await(() -> runs.approvals.size() == 2 && budget.usedBytes("t") == 0);
        MemoryBudget.MemoryReservation others = leaveMemoryFor(0);
        runs.approvals.approveAll();
        await(() -> budget.waitingCount() == 2);
        assertThat(runs.toolBridge.takeCalls()).isEmpty();

        others.close();

        await(() -> state(id).isTerminal());
        assertThat(result(id)).isEqualTo("true");
        assertThat(runs.toolBridge.takeCalls()).containsExactlyInAnyOrderElementsOf(mailCalls(2));
        await(() -> budget.usedBytes("t") == 0);
    }

    @Test
    void deniedCallNeedsNoMemory() throws Exception {
        ExecutionId id = start(TEXT + " const timer = setInterval(() => 0, 5);"
                + " const code = await b.mail({ text }).catch((e) => e.code); clearInterval(timer); return code");
        await(() -> runs.approvals.size() == 1 && budget.usedBytes("t") == 0);
        MemoryBudget.MemoryReservation others = leaveMemoryFor(0);

        runs.approvals.expireAll();

        await(() -> state(id).isTerminal());
        assertThat(result(id)).isEqualTo("\"denied\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        others.close();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void runIsParkedAlthoughAFurtherCallNeedsMemory() throws Exception {
        MemoryBudget.MemoryReservation others = leaveMemoryFor(1);
        ExecutionId id = start(TEXT + " const mails = [1, 2, 3].map((n) => b.mail({ n, text }));"
                + " await b.again({ text }); return (await Promise.all(mails)).length");
        await(() -> state(id) == ExecutionState.WAITING && node.liveCount() == 0);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("4 again");
        assertThat(budget.usedBytes("t")).isEqualTo(others.bytes());

        runs.approvals.approveAll();
        node.run(id);
        await(() -> state(id).isTerminal());
        assertThat(result(id)).isEqualTo("3");
        assertThat(runs.toolBridge.takeCalls()).containsExactlyInAnyOrderElementsOf(mailCalls(3));
        await(() -> budget.usedBytes("t") == others.bytes());
        others.close();
    }

    /** Only some of the approvals are open at one time. The arguments of the others are in the journal alone. */
    @Test
    void callsWhoseApprovalsAreQueuedHoldNoMemory() throws Exception {
        int count = RunApprovals.MAX_OPEN_APPROVALS + 5;
        MemoryBudget.MemoryReservation others = leaveMemoryFor(1);
        ExecutionId id = start(mails(count));
        await(() -> runs.approvals.size() == RunApprovals.MAX_OPEN_APPROVALS);
        await(() -> startedCalls(id) == count && budget.usedBytes("t") == others.bytes());

        await(() -> {
            runs.approvals.approveAll();
            return state(id).isTerminal();
        });

        assertThat(result(id)).isEqualTo("true");
        assertThat(runs.approvals.size()).isEqualTo(count);
        assertThat(runs.toolBridge.takeCalls()).containsExactlyInAnyOrderElementsOf(mailCalls(count));
        await(() -> budget.usedBytes("t") == others.bytes());
        others.close();
    }

    /** The memory of the calls that were sent stays reserved until they are answered. */
    @Test
    void parkedRunDoesNotWaitForTheMemoryOfItsOwnCalls() throws Exception {
        runs.toolBridge.holdReplies();
        MemoryBudget.MemoryReservation others = leaveMemoryFor(2);
        ExecutionId id = start(TEXT + " const first = b.read({});"
                + " const calls = [1, 2].map((n) => b.again({ n, text }));"
                + " await first; await b.effect({}); return (await Promise.all(calls)).length");
        await(() -> state(id) == ExecutionState.WAITING && node.liveCount() == 0);
        assertThat(budget.usedBytes("t")).isGreaterThan(others.bytes() + 2 * 4 * CHARS);

        runs.toolBridge.releaseReply();
        await(() -> runs.toolBridge.heldReplies() == 3);
        for (int n = 0; n < 3; n++) {
            runs.toolBridge.releaseReply();
        }
        await(() -> state(id).isTerminal());
        assertThat(result(id)).isEqualTo("2");
        assertThat(runs.toolBridge.takeCalls()).containsExactlyInAnyOrder("1 read", "2 again", "3 again", "4 effect");
        await(() -> budget.usedBytes("t") == others.bytes());
        others.close();
    }

    /** Calls of capabilities and calls that wait for approvals may need more memory together than one tenant gets. */
    @Test
    void runWithMoreOpenCallsThanMemoryIsResumed() throws Exception {
        runs.publishCapability("shop.x");
        runs.grants = List.of("*");
        runs.toolBridge.holdReplies();
        MemoryBudget.MemoryReservation others = leaveMemoryFor(1);
        ExecutionId id = start(TEXT + " const timer = setInterval(() => 0, 5);"
                + " const calls = [1, 2, 3].map((n) => mcp.shop.x({ n, text }));"
                + " calls.push(...[1, 2, 3].map((n) => b.mail({ n, text })));"
                + " const replies = await Promise.all(calls); clearInterval(timer);"
                + " return replies.every((reply) => reply.echo.text === text)");
        await(() -> runs.toolBridge.heldReplies() == 3 && runs.approvals.size() == 3);
        await(() -> budget.usedBytes("t") == others.bytes());
        assertThat(runs.toolBridge.takeCalls()).hasSize(3);
        // As if the node had died: its replies are lost, and it polls nothing any more.
        runs.toolBridge.stopHolding();
        runs.store.recover(id);
        runs.approvals.approveAll();

        assertThat(runs.runToEnd(id)).isEqualTo(ExecutionState.COMPLETED);

        assertThat(result(id)).isEqualTo("true");
        assertThat(runs.toolBridge.takeCalls()).containsExactlyInAnyOrder("4 mail", "5 mail", "6 mail");
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> budget.usedBytes("t") == others.bytes());
        others.close();
    }
}
