package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.execution.Suspension;
import org.sallyport.policy.Policy;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;

/** Executions that wait long for a tool or an event hold no session. Scripts do not notice it. */
class ParkingRunTest {
    private static final FencingToken OTHER = new FencingToken(new ExecutionId(new UUID(0, 1)), 1);

    private final ScriptRunFixture runs =
            new ScriptRunFixture(tenant -> Policy.defaultPolicy(), Duration.ofMillis(100));

    private static void await(Supplier<Boolean> what) throws InterruptedException {
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), what);
    }

    private ExecutionState state(ExecutionId id) {
        return runs.store.row(id).state;
    }

    private SuspendRequest parking(ExecutionId id) {
        return Objects.requireNonNull(runs.store.row(id).parking);
    }

    private String result(ExecutionId id) {
        ExecutionOutcome outcome = runs.store.row(id).outcome;
        return outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(outcome);
    }

    private ExecutionId parked(ExecutionRunner node, String code) throws InterruptedException {
        ExecutionId id = runs.submit(code, Optional.empty());
        node.run(id);
        awaitState(node, id, ExecutionState.WAITING);
        await(() -> node.liveCount() == 0);
        return id;
    }

    private void awaitState(ExecutionRunner node, ExecutionId id, ExecutionState state) throws InterruptedException {
        await(() -> {
            node.poll();
            return state(id) == state;
        });
    }

    @Test
    void executionWaitingForASlowToolIsParkedAndResumesWithItsAnswer() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);

        ExecutionId id = parked(node, "console.log('begun'); return await b.effect({ n: 1 })");
        assertThat(parking(id).reason()).isEqualTo(Suspension.SuspensionReason.TOOL);
        assertThat(parking(id).replyLeaseOwner()).isPresent();
        assertThat(node.freeSlots()).isEqualTo(8);
        runs.toolBridge.releaseReply();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
        assertThat(runs.store.row(id).out).hasToString("begun\n");
    }

    @Test
    void answersArriveWhileTheExecutionIsParkedAndAfterwards() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);

        ExecutionId id = parked(
                node, "const all = await Promise.all([b.effect({ n: 1 }), b.effect({ n: 2 })]); return all.length");
        runs.toolBridge.releaseReply();
        await(() -> runs.store.row(id).attempt == 2);
        awaitState(node, id, ExecutionState.WAITING);
        runs.toolBridge.releaseReply();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("2");
        assertThat(runs.toolBridge.takeCalls()).containsExactlyInAnyOrder("1 effect", "2 effect");
    }

    @Test
    void scriptTimeoutResumesAParkedExecution() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);

        ExecutionId id =
                parked(node, "return await Promise.race([b.effect({ n: 1 }), sleep('2s').then(() => 'too late')])");

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"too late\"");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
    }

    @Test
    void cancellingAParkedExecutionWithdrawsItsCall() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        assertThat(runs.store.cancel("t", id)).isEqualTo(new CancelResult.CancelledImmediately(true));
        assertThat(node.cancel(id)).isTrue();

        assertThat(runs.toolBridge.cancelled()).containsExactly(new CallId(id.toString(), 1));
        runs.toolBridge.releaseReply();
        node.poll();
        assertThat(state(id)).isEqualTo(ExecutionState.CANCELLED);
        assertThat(node.cancel(id)).isFalse();
    }

    @Test
    void duplicateJobLosesNoAnswer() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        node.run(id);
        assertThat(state(id)).isEqualTo(ExecutionState.WAITING);
        runs.toolBridge.releaseReply();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
    }

    @Test
    void parkedExecutionKeepsItsAnswersAfterAnyResume() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        assertThat(runs.store.resumeDue(1, Duration.ZERO)).hasSize(1);
        node.run(id);
        awaitState(node, id, ExecutionState.WAITING);
        runs.toolBridge.releaseReply();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
    }

    @Test
    void resumedExecutionWaitsForASlotAheadOfNewOnes() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(1);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");
        // The timer is always due soon, so this execution is not parked, however long its call takes.
        ExecutionId other = runs.submit(
                "const id = setInterval(() => 0, 5); await b.again({ n: 2 }); clearInterval(id); return 2",
                Optional.empty());
        node.run(other);
        await(() -> runs.toolBridge.heldReplies() == 2);
        assertThat(node.freeSlots()).isZero();

        runs.toolBridge.releaseReply();
        node.poll();
        assertThat(state(id)).isEqualTo(ExecutionState.WAITING);
        runs.toolBridge.releaseReply();

        await(() -> state(other).isTerminal() && state(id).isTerminal());
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        await(() -> node.freeSlots() == 1);
    }

    @Test
    void shutdownWaitsForAnswersOfParkedExecutions() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");
        Thread closing = new Thread(() -> node.close(20_000));
        closing.start();

        runs.toolBridge.releaseReply();

        closing.join();
        assertThat(state(id)).isEqualTo(ExecutionState.COMPLETED);
    }

    @Test
    void answersAreIgnoredAtANodeThatLostItsLease() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = parked(node, "return await b.again({ n: 1 })");

        node.stop();
        runs.toolBridge.releaseReply();
        node.poll();

        assertThat(state(id)).isEqualTo(ExecutionState.WAITING);
        assertThat(node.freeSlots()).isEqualTo(8);
    }

    @Test
    void storeOutageLosesNoAnswer() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        runs.store.failNext(1);
        runs.toolBridge.releaseReply();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
    }

    @Test
    void storeOutageDuringResumeLosesNoAnswer() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        runs.store.failNextClaim();
        runs.toolBridge.releaseReply();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
    }

    @Test
    void executionParkedForAnEventKeepsItsTimeout() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);

        ExecutionId id = parked(
                node, "const e = await events.next('paid', { timeout: '1m' }); return e === null ? 'none' : e.data");
        SuspendRequest parking = parking(id);
        assertThat(parking.reason()).isEqualTo(Suspension.SuspensionReason.EVENT);
        assertThat(parking.events()).containsExactly(new SuspendRequest.EventWait("paid", 0));
        assertThat(parking.maxWait()).isLessThan(Duration.ofMinutes(1));
        assertThat(parking.replyLeaseOwner()).isEmpty();
        runs.store.resumeDue(1, Duration.ZERO);
        node.run(id);

        awaitState(node, id, ExecutionState.WAITING);
        // The timeout of one minute does not start again.
        assertThat(parking(id).maxWait()).isLessThan(parking.maxWait());
    }

    @Test
    void executionResumedByAnEventReceivesIt() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = parked(node, "return (await events.next('paid')).data");
        assertThat(parking(id).maxWait()).isGreaterThan(Duration.ofDays(29));

        runs.events.emit("t", OTHER, 1, "paid", new Json("7"));
        runs.store.resumeDue(1, Duration.ZERO);
        node.run(id);

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("7");
    }

    @Test
    void executionWaitingForToolAndEventIsParkedAfterTheToolAnswered() throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit(
                "const e = events.next('paid'); const r = await b.effect({ n: 1 }); return [r.echo.n, (await e).data]",
                Optional.empty());
        node.run(id);
        await(() -> runs.toolBridge.heldReplies() == 1);
        for (long end = System.nanoTime() + 500_000_000L; System.nanoTime() < end; ) {
            node.poll();
            assertThat(state(id)).isEqualTo(ExecutionState.RUNNING);
        }

        runs.toolBridge.releaseReply();
        awaitState(node, id, ExecutionState.WAITING);
        assertThat(parking(id).reason()).isEqualTo(Suspension.SuspensionReason.EVENT);
        assertThat(parking(id).events()).hasSize(1);
    }
}
