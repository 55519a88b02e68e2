package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Together;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Policies;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/** A node that comes back has its backends to start, and scripts that go on. */
class StartingBackendsTest {
    private static final ToolReply STARTING =
            new ToolReply(ToolResult.failure(ToolErrorCode.BACKEND_STARTING, "soon"), 0, 0, 0);
    private static final String CAUGHT = ".catch((e) => e.code)";

    private final ScriptRuns runs =
            new ScriptRuns(tenant -> (tool, arguments, situation) -> new Decision.Allow(Policies.DEFAULT_ALLOW));

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof Outcome.Completed completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    /** One whose node died when its script had made a call. */
    private ExecutionId interrupted(String code) throws Exception {
        ExecutionId id = runs.accept(code, Optional.empty());
        runs.world.hold();
        runs.node(8).run(id);
        Together.await(Duration.ofSeconds(60), () -> runs.world.heldBack() > 0);
        runs.store.recover(id);
        runs.world.free();
        runs.world.take();
        return id;
    }

    /** Runs it at another node, to its end. */
    private void goesOn(ExecutionId id, Consumer<Runner> meanwhile) throws Exception {
        Runner second = runs.node(8);
        second.run(id);
        meanwhile.accept(second);
        Together.await(Duration.ofSeconds(60), () -> {
            second.look();
            return second.liveCount() == 0;
        });
    }

    private void turnedAway(int times) {
        try {
            Together.await(Duration.ofSeconds(60), () -> runs.world.turnedAway() >= times);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aScriptThatHasOnlyBegunIsToldAtOnce() throws Exception {
        runs.world.away("b", STARTING);
        ExecutionId id = runs.accept("return await b.read({ n: 1 })" + CAUGHT, Optional.empty());
        runs.live(id);
        assertThat(result(id)).isEqualTo("\"backend-starting\"");
        assertThat(runs.world.turnedAway()).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "again"})
    void aScriptThatGoesOnWaitsForTheBackendsOfItsNode(String tool) throws Exception {
        ExecutionId id = interrupted("return [await b." + tool + "({ n: 1 }), await b.effect({ n: 2 })]");
        runs.world.away("b", STARTING);
        goesOn(id, runner -> {
            turnedAway(3);
            runs.world.back("b");
        });
        assertThat(result(id)).isEqualTo("[{\"echo\":{\"n\":1}},{\"echo\":{\"n\":2}}]");
        assertThat(runs.world.take()).endsWith("2 effect");
    }

    @Test
    void aCallThatItHadNotMadeBeforeWaitsToo() throws Exception {
        runs.grants = List.of("b.*", "e.*");
        ExecutionId id = interrupted("await e.read({ n: 1 }); return await b.effect({ n: 2 })");
        runs.world.away("b", STARTING);
        goesOn(id, runner -> {
            turnedAway(2);
            runs.world.back("b");
        });
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":2}}");
    }

    @Test
    void whoStandsInIsAskedAtOnce() throws Exception {
        runs.grants = List.of("b.*", "c.*");
        ExecutionId id = interrupted("return await b.read({ n: 1 })");
        runs.world.away("b", STARTING);
        goesOn(id, runner -> {});
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.world.turnedAway()).isOne();
    }

    @Test
    void whatBecomesOfTheStartIsTheAnswer() throws Exception {
        ExecutionId id = interrupted("return await b.read({ n: 1 })" + CAUGHT);
        runs.world.away("b", STARTING);
        goesOn(id, runner -> {
            turnedAway(2);
            runs.world.away(
                    "b", new ToolReply(ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "is down"), 0, 0, 0));
        });
        assertThat(result(id)).isEqualTo("\"backend-unavailable\"");
    }

    @Test
    void whoWaitsSoMayBeCancelled() throws Exception {
        ExecutionId id = interrupted("return await b.read({ n: 1 })");
        runs.world.away("b", STARTING);
        goesOn(id, runner -> {
            turnedAway(2);
            runs.store.cancel("t", id, tool -> true);
            assertThat(runner.cancel(id)).isTrue();
        });
        assertThat(runs.store.row(id).state).isEqualTo(ExecutionState.CANCELLED);
    }
}
