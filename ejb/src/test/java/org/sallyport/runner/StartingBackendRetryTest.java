package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/** A node that restarts has to start its backends while it resumes scripts. */
class StartingBackendRetryTest {
    private static final ToolReply STARTING =
            new ToolReply(ToolResult.failure(ToolErrorCode.BACKEND_STARTING, "soon"), 0, 0, 0);
    private static final String CAUGHT = ".catch((e) => e.code)";

    private final ScriptRunFixture runs = new ScriptRunFixture(
            tenant -> (tool, arguments, situation) -> new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW));

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    /** Submits an execution whose node dies after the script has made a call. */
    private ExecutionId interrupted(String code) throws Exception {
        ExecutionId id = runs.submit(code, Optional.empty());
        runs.toolBridge.holdReplies();
        runs.newNode(8).run(id);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> runs.toolBridge.heldReplies() > 0);
        runs.store.recover(id);
        runs.toolBridge.stopHolding();
        runs.toolBridge.takeCalls();
        return id;
    }

    /** Runs the execution on another node until it ends. */
    private void goesOn(ExecutionId id, Consumer<ExecutionRunner> meanwhile) throws Exception {
        ExecutionRunner second = runs.newNode(8);
        second.run(id);
        meanwhile.accept(second);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> {
            second.poll();
            return second.liveCount() == 0;
        });
    }

    private void turnedAway(int times) {
        try {
            ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> runs.toolBridge.rejectedCount() >= times);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void firstRunFailsAtOnceWhileABackendStarts() throws Exception {
        runs.toolBridge.setUnavailable("b", STARTING);
        ExecutionId id = runs.submit("return await b.read({ n: 1 })" + CAUGHT, Optional.empty());
        runs.runOnNewNode(id);
        assertThat(result(id)).isEqualTo("\"backend-starting\"");
        assertThat(runs.toolBridge.rejectedCount()).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "again"})
    void resumedScriptWaitsForStartingBackends(String tool) throws Exception {
        ExecutionId id = interrupted("return [await b." + tool + "({ n: 1 }), await b.effect({ n: 2 })]");
        runs.toolBridge.setUnavailable("b", STARTING);
        goesOn(id, runner -> {
            turnedAway(3);
            runs.toolBridge.setAvailable("b");
        });
        assertThat(result(id)).isEqualTo("[{\"echo\":{\"n\":1}},{\"echo\":{\"n\":2}}]");
        assertThat(runs.toolBridge.takeCalls()).endsWith("2 effect");
    }

    @Test
    void newCallOfAResumedScriptWaitsForAStartingBackend() throws Exception {
        runs.grants = List.of("b.*", "e.*");
        ExecutionId id = interrupted("await e.read({ n: 1 }); return await b.effect({ n: 2 })");
        runs.toolBridge.setUnavailable("b", STARTING);
        goesOn(id, runner -> {
            turnedAway(2);
            runs.toolBridge.setAvailable("b");
        });
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":2}}");
    }

    @Test
    void fallbackOfAStartingBackendIsCalledAtOnce() throws Exception {
        runs.grants = List.of("b.*", "c.*");
        ExecutionId id = interrupted("return await b.read({ n: 1 })");
        runs.toolBridge.setUnavailable("b", STARTING);
        goesOn(id, runner -> {});
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.toolBridge.rejectedCount()).isOne();
    }

    @Test
    void failedBackendStartIsTheAnswerToWaitingCalls() throws Exception {
        ExecutionId id = interrupted("return await b.read({ n: 1 })" + CAUGHT);
        runs.toolBridge.setUnavailable("b", STARTING);
        goesOn(id, runner -> {
            turnedAway(2);
            runs.toolBridge.setUnavailable(
                    "b", new ToolReply(ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "is down"), 0, 0, 0));
        });
        assertThat(result(id)).isEqualTo("\"backend-unavailable\"");
    }

    @Test
    void callWaitingForAStartingBackendCanBeCancelled() throws Exception {
        ExecutionId id = interrupted("return await b.read({ n: 1 })");
        runs.toolBridge.setUnavailable("b", STARTING);
        goesOn(id, runner -> {
            turnedAway(2);
            runs.store.cancel("t", id);
            assertThat(runner.cancel(id)).isTrue();
        });
        assertThat(runs.store.row(id).state).isEqualTo(ExecutionState.CANCELLED);
    }
}
