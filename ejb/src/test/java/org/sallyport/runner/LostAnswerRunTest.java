package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Policy;
import org.sallyport.tool.Json;

/**
 * Executions whose writes take effect without an answer of the store, and executions whose writes the store fails to
 * execute. With the real sandbox.
 */
class LostAnswerRunTest {
    private static final FencingToken OTHER = new FencingToken(new ExecutionId(new UUID(0, 1)), 1);

    private final ScriptRunFixture runs =
            new ScriptRunFixture(tenant -> Policy.defaultPolicy(), Duration.ofMillis(100));

    private static void await(Supplier<Boolean> what) throws InterruptedException {
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), what);
    }

    private ExecutionState state(ExecutionId id) {
        return runs.store.row(id).state;
    }

    private void awaitState(ExecutionRunner node, ExecutionId id, ExecutionState state) throws InterruptedException {
        await(() -> {
            node.poll();
            return state(id) == state && node.liveCount() == 0;
        });
    }

    private String result(ExecutionId id) {
        ExecutionOutcome outcome = runs.store.row(id).outcome;
        return outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(outcome);
    }

    /** Starts a script that then waits for the reply to its effect, which the test holds. */
    private ExecutionId waitingForItsEffect(ExecutionRunner node, String code) throws InterruptedException {
        runs.toolBridge.holdReplies();
        ExecutionId id = runs.submit(code, Optional.empty());
        node.run(id);
        await(() -> runs.toolBridge.heldReplies() == 1);
        return id;
    }

    private void assertParkedOnce(ExecutionId id) {
        assertThat(runs.store.row(id).trace)
                .filteredOn(event ->
                        event instanceof TraceEvent.StateChanged changed && changed.state() == ExecutionState.WAITING)
                .hasSize(1);
        assertThat(runs.store.row(id).out).hasToString("begun\n");
    }

    private void assertInternalError(ExecutionId id, String message) {
        assertThat(runs.store.row(id).outcome)
                .isInstanceOfSatisfying(ExecutionOutcome.ExecutionFailed.class, failed -> {
                    assertThat(failed.error().code()).isEqualTo("internal-error");
                    assertThat(failed.error().message()).contains(message);
                });
    }

    /** The first answers are those to the claim, the output, the effects and the end. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void scriptCompletesOnceAlthoughItsFirstAnswersAreLost(int answers) throws InterruptedException {
        ExecutionId id = runs.submit(
                "console.log('a'); await b.again({ n: 1 }); console.log('b'); await b.effect({ n: 2 });"
                        + " console.log('c'); await b.effect({ n: 3 }); console.error('d'); return 7",
                Optional.empty());
        runs.store.loseAnswers(answers);

        assertThat(runs.runToEnd(id)).isEqualTo(ExecutionState.COMPLETED);

        assertThat(result(id)).isEqualTo("7");
        assertThat(runs.store.row(id).out).hasToString("a\nb\nc\n");
        assertThat(runs.store.row(id).err).hasToString("d\n");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 again", "2 effect", "3 effect");
    }

    @Test
    void executionParkedForAToolKeepsTheReplyWhenTheAnswerIsLost() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = waitingForItsEffect(node, "console.log('begun'); return await b.effect({ n: 1 })");
        runs.store.loseAnswers(Integer.MAX_VALUE);
        awaitState(node, id, ExecutionState.WAITING);
        assertParkedOnce(id);

        runs.toolBridge.releaseReply();
        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
    }

    @Test
    void executionParkedForAnEventReceivesItWhenTheAnswerIsLost() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit("console.log('begun'); return (await events.next('paid')).data", Optional.empty());
        runs.store.loseAnswers(Integer.MAX_VALUE);
        node.run(id);
        awaitState(node, id, ExecutionState.WAITING);
        assertParkedOnce(id);

        runs.events.emit("t", OTHER, 1, "paid", new Json("7"));
        runs.store.resumeDue(1, Duration.ZERO);
        node.run(id);
        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("7");
    }

    @Test
    void executionParkedForATimerIsParkedOnceWhenTheAnswerIsLost() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit("console.log('begun'); await sleep('1m'); return 1", Optional.empty());
        runs.store.loseAnswers(Integer.MAX_VALUE);
        node.run(id);
        awaitState(node, id, ExecutionState.WAITING);
        assertParkedOnce(id);
        assertThat(node.freeSlots()).isEqualTo(8);
    }

    @Test
    void executionIsReleasedOnceAtAShutdownWhenTheAnswerIsLost() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = runs.submit(
                "console.log('begun'); for (let n = 0; n < 1e6; n++) await sleep('20ms'); return 1", Optional.empty());
        runs.store.loseAnswers(Integer.MAX_VALUE);
        node.run(id);
        await(() -> runs.store.row(id).out.length() == 6);
        node.close(1);
        await(() -> node.liveCount() == 0);
        assertThat(state(id)).isEqualTo(ExecutionState.PENDING);
        assertThat(runs.store.row(id).attempt).isEqualTo(1);
        assertThat(runs.store.row(id).outcome).isNull();
    }

    @Test
    void executionThatCannotBeParkedFailsAndIsNotCancelled() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = waitingForItsEffect(node, "return await b.effect({ n: 1 })");
        runs.store.unreleasable = true;
        awaitState(node, id, ExecutionState.FAILED);
        assertInternalError(id, "could not be stored when its run was interrupted");
    }

    @Test
    void executionIsParkedAfterTwoFailedTries() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = waitingForItsEffect(node, "console.log('begun'); return await b.effect({ n: 1 })");
        runs.store.failWrites(2);
        awaitState(node, id, ExecutionState.WAITING);
        assertParkedOnce(id);
    }

    @Test
    void executionWhoseOutputCannotBeStoredFailsBeforeItsTimeLimit() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = waitingForItsEffect(
                node,
                "await b.effect({ n: 1 }); console.log('lost');"
                        + " for (let n = 0; n < 1e6; n++) await sleep('20ms'); return 1");
        runs.store.unappendable = true;
        runs.toolBridge.releaseReply();
        awaitState(node, id, ExecutionState.FAILED);
        assertInternalError(id, "an error of the server stopped the script");
        assertThat(runs.store.row(id).out).hasToString("lost\n");
    }

    @Test
    void effectIsNotMadeWhenItCannotBeStoredBefore() throws InterruptedException {
        ExecutionRunner node = runs.newNode(8);
        ExecutionId id = waitingForItsEffect(node, "await b.effect({ n: 1 }); await b.effect({ n: 2 }); return 1");
        runs.store.unappendable = true;
        runs.toolBridge.releaseReply();
        awaitState(node, id, ExecutionState.FAILED);
        assertInternalError(id, "an error of the server stopped the script");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
    }
}
