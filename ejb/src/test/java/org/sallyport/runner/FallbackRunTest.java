package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.approval.Ballot;
import org.sallyport.execution.Cost;
import org.sallyport.execution.Effects;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Rerun;
import org.sallyport.execution.Together;
import org.sallyport.journal.Served;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Policies;
import org.sallyport.policy.Policy;
import org.sallyport.policy.Situation;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/** Calls of a backend that is away, for which another stands in, with the real sandbox. */
class FallbackRunTest {
    private static final ToolReply UNSENT = unavailable(0);
    private static final ToolReply LOST = unavailable(2);
    private static final String CAUGHT = ".catch((e) => e.code)";
    private static final Decision ALLOW = new Decision.Allow(Policies.DEFAULT_ALLOW);

    private volatile Policy policy = (tool, arguments, situation) -> ALLOW;
    private volatile String dear = "";
    private final ScriptRuns runs = new ScriptRuns(tenant -> new Policy() {
        @Override
        public Decision decide(ToolSpec tool, Json arguments, Situation situation) {
            return policy.decide(tool, arguments, situation);
        }

        @Override
        public Optional<Cost> cost(ToolSpec tool, Json arguments) {
            String name = tool.name().toString();
            return Optional.of(name.equals(dear) ? Cost.of("2") : name.endsWith("read") ? Cost.ZERO : Cost.of("1"));
        }
    });

    private static ToolReply unavailable(int attempts) {
        return new ToolReply(
                ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "Backend 'b' is down"), 1, 1, attempts);
    }

    @BeforeEach
    void mayCallAll() {
        runs.grants = List.of("b.*", "c.*", "d.*");
    }

    private ExecutionId run(String code) throws Exception {
        ExecutionId id = runs.accept(code, Optional.empty());
        assertThat(runs.live(id)).isEqualTo(ExecutionState.COMPLETED);
        return id;
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof Outcome.Completed completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    /** What the trace tells of calls: {@code "1 b.read"}, {@code "1 fallback c.read"}, {@code "1 = 3"} after three attempts. */
    private List<String> trace(ExecutionId id) {
        List<String> trace = new ArrayList<>();
        for (TraceEvent event : runs.store.trace(id, 0, 1_000)) {
            if (event instanceof TraceEvent.ToolStarted started) {
                trace.add(started.call() + " " + started.tool());
            } else if (event instanceof TraceEvent.Judged judged) {
                trace.add(judged.call() + " " + judged.decision() + " " + judged.tool());
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                trace.add(ended.call() + " = " + ended.attempts());
            }
        }
        return trace;
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "again", "effect"})
    void whatHasNotLeftIsMadeByWhoStandsInOnce(String tool) throws Exception {
        runs.world.away("b", UNSENT);
        ExecutionId id = run("return await b." + tool + "({ n: 1 })");
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.world.take()).containsExactly("1 c." + tool);
        assertThat(trace(id)).containsExactly("1 b." + tool, "1 fallback c." + tool, "1 = 1");
        assertThat(runs.spending.total()).isEqualTo(tool.equals("read") ? Cost.ZERO : Cost.of("1"));
    }

    @Test
    void ofWhatMayHaveReachedItsToolOnlyReadingIsMadeElsewhere() throws Exception {
        runs.world.away("b", LOST);
        ExecutionId id = run("return [await b.effect({})" + CAUGHT + ", await b.again({})" + CAUGHT
                + ", await b.mail({})" + CAUGHT + ", (await b.read({ n: 1 })).echo.n]");
        assertThat(result(id)).isEqualTo("[\"backend-unavailable\",\"backend-unavailable\",\"backend-unavailable\",1]");
        assertThat(runs.world.take()).containsExactly("4 c.read");
        assertThat(trace(id)).endsWith("4 b.read", "4 fallback c.read", "4 = 3");
    }

    @Test
    void ofWhoNeverAnsweredNoNodeIsNamed() throws Exception {
        runs.world.away("b", unavailable(2).at("first"));
        runs.world.away("c", ToolReply.local(ToolResult.failure(ToolErrorCode.TIMEOUT, "did not answer in time")));
        ExecutionId id = run("return await b.read({})" + CAUGHT);
        assertThat(result(id)).isEqualTo("\"timeout\"");
        assertThat(runs.store.trace(id, 0, 1_000))
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .allSatisfy(event -> assertThat(
                                ((TraceEvent.ToolEnded) event).served().flatMap(Served::node))
                        .isEmpty());
    }

    @Test
    void theTraceNamesTheNodeThatAnsweredAndTheTimeOfAllBackends() throws Exception {
        runs.world.away("b", unavailable(2).at("first"));
        runs.world.away("c", new ToolReply(ToolResult.success(new Json("7")), 2, 5).at("second"));
        ExecutionId id = run("return await b.read({})");
        assertThat(result(id)).isEqualTo("7");
        assertThat(runs.store.trace(id, 0, 1_000))
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .extracting(event -> ((TraceEvent.ToolEnded) event).served())
                .containsExactly(Optional.of(new Served(6, Optional.of("second"))));
    }

    @ParameterizedTest
    @EnumSource(
            value = ToolErrorCode.class,
            names = {"BACKEND_UNAVAILABLE", "BACKEND_STARTING"},
            mode = EnumSource.Mode.EXCLUDE)
    void whatWasAnsweredIsAnswered(ToolErrorCode code) throws Exception {
        runs.world.away("b", new ToolReply(ToolResult.failure(code, "no"), 0, 0, 0));
        assertThat(result(run("return await b.read({})" + CAUGHT))).isEqualTo('"' + code.code() + '"');
        assertThat(runs.world.take()).isEmpty();
    }

    @Test
    void aBackendThatStartsIsStoodInForToo() throws Exception {
        runs.world.away("b", new ToolReply(ToolResult.failure(ToolErrorCode.BACKEND_STARTING, "soon"), 0, 0, 0));
        run("return await b.effect({})");
        assertThat(runs.world.take()).containsExactly("1 c.effect");
    }

    @Test
    void whoMayNotCallTheOtherByNameDoesNotComeToItSo() throws Exception {
        runs.world.away("b", UNSENT);
        runs.grants = List.of("b.*");
        ExecutionId id = run("return await b.read({}).catch((e) => e.message)");
        assertThat(result(id)).isEqualTo("\"Backend 'b' is down\"");

        runs.grants = List.of("b.*", "c.*");
        for (Decision refusal : List.of(
                new Decision.Deny("closed", "closed"),
                new Decision.Mock("mocked", Json.NULL),
                new Decision.Ask("asks", new Terms(1, Terms.PATIENCE, Terms.AtExpiry.DENY, ""), false))) {
            policy = (tool, arguments, situation) -> tool.name().backend().equals("c") ? refusal : ALLOW;
            assertThat(result(run("return await b.read({})" + CAUGHT))).isEqualTo("\"backend-unavailable\"");
        }
        assertThat(runs.world.take()).isEmpty();
        assertThat(runs.approvals.size()).isZero();
    }

    @Test
    void whoStandsInDoesNoMoreAndCostsNoMore() throws Exception {
        runs.world.away("b", UNSENT);
        runs.world.away("c", UNSENT);
        assertThat(result(run("return [await b.read({})" + CAUGHT + ", await b.again({})" + CAUGHT
                        + ", (await b.effect({ n: 3 })).echo.n]")))
                .isEqualTo("[\"backend-unavailable\",\"backend-unavailable\",3]");
        assertThat(runs.world.take()).containsExactly("3 d.effect");

        runs.world.back("c");
        dear = "c.effect";
        run("return await b.effect({})");
        assertThat(runs.world.take()).containsExactly("1 d.effect");
    }

    @Test
    void theChainIsThatOfWhoWasCalledAndWhoTakesNothingIsPassedOver() throws Exception {
        runs.world.away("b", UNSENT);
        runs.world.away("c", new ToolReply(ToolResult.failure(ToolErrorCode.TOOL_QUARANTINED, "no"), 0, 0, 0));
        ExecutionId id = run("return [(await b.effect({ n: 1 })).echo.n, await b.read({}).catch((e) => e.message)]");
        assertThat(result(id)).isEqualTo("[1,\"Backend 'b' is down\"]");
        assertThat(trace(id))
                .containsExactly(
                        "1 b.effect",
                        "1 fallback c.effect",
                        "1 fallback d.effect",
                        "1 = 1",
                        "2 b.read",
                        "2 fallback c.read",
                        "2 = 0");
    }

    @Test
    void whatMayHaveReachedWhoStandsInGoesNoFurther() throws Exception {
        runs.world.away("b", UNSENT);
        runs.world.away("c", LOST);
        assertThat(result(run("return await b.effect({})" + CAUGHT))).isEqualTo("\"backend-unavailable\"");
        assertThat(runs.world.take()).isEmpty();
    }

    @Test
    void whatAPersonApprovedIsMadeByWhatThePersonSawAlone() throws Exception {
        runs.world.away("b", UNSENT);
        policy = (tool, arguments, situation) -> tool.name().backend().equals("b")
                ? new Decision.Ask("asks", new Terms(1, Terms.PATIENCE, Terms.AtExpiry.DENY, ""), false)
                : ALLOW;
        ExecutionId id = runs.accept("return await b.effect({})" + CAUGHT, Optional.empty());
        assertThat(runs.live(id)).isEqualTo(ExecutionState.WAITING);
        runs.approvals.vote(
                "t",
                runs.approvals.last().id(),
                new Ballot("anna", true, false, Optional.empty(), Optional.empty(), "yes"));
        assertThat(runs.live(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"backend-unavailable\"");
        assertThat(runs.world.take()).isEmpty();
    }

    @Test
    void aPlanNamesWhatMayBeChanged() throws Exception {
        String script = "return [await b.effect({ n: 1 })" + CAUGHT + ", (await b.read({ n: 1 })).echo.n]";
        ExecutionId plan = runs.accept(script, Optional.empty(), new Effects.DryRun(Json.EMPTY_OBJECT));
        assertThat(runs.live(plan)).isEqualTo(ExecutionState.COMPLETED);
        runs.world.take();
        runs.world.away("b", UNSENT);
        ExecutionId id = runs.accept(
                script, Optional.of(new Rerun(plan, Rerun.Mode.FRESH, 1, false)), new Effects.Planned(plan, "anna"));
        assertThat(runs.live(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[\"backend-unavailable\",1]");
        assertThat(runs.world.take()).containsExactly("2 c.read");
    }

    /** Where the first of two nodes dies while the answer of who stands in is awaited, and the backend is back then. */
    private ExecutionId diedMeanwhile(String tool) throws Exception {
        runs.world.away("b", UNSENT);
        runs.world.hold();
        ExecutionId id = runs.accept("return await b." + tool + "({})" + CAUGHT, Optional.empty());
        runs.node(8).run(id);
        Together.await(Duration.ofSeconds(60), () -> runs.world.heldBack() == 1);
        assertThat(runs.world.take()).containsExactly("1 c." + tool);
        // What the second finds is what was stored before the call left.
        runs.store.recover(id);
        runs.world.back("b");
        runs.world.free();
        assertThat(runs.live(id)).isEqualTo(ExecutionState.COMPLETED);
        return id;
    }

    @ParameterizedTest
    @ValueSource(strings = {"again", "effect"})
    void afterADeathWhatWentElsewhereIsNotMadeHere(String tool) throws Exception {
        ExecutionId id = diedMeanwhile(tool);
        assertThat(result(id)).isEqualTo("\"outcome-unknown\"");
        assertThat(runs.world.take()).isEmpty();
    }

    /** It knows calls by their ids, but may refuse the second when it has made the first, or be another one by then. */
    @Test
    void afterADeathAnEffectAtAnotherInstallationIsNotSentAgain() throws Exception {
        runs.grants = List.of("e.*");
        runs.world.hold();
        ExecutionId id = runs.accept("return await e.effect({})" + CAUGHT, Optional.empty());
        runs.node(8).run(id);
        Together.await(Duration.ofSeconds(60), () -> runs.world.heldBack() == 1);
        assertThat(runs.world.take()).containsExactly("1 e.effect");
        runs.store.recover(id);
        runs.world.free();
        assertThat(runs.live(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"outcome-unknown\"");
        assertThat(runs.world.take()).isEmpty();
    }

    @Test
    void afterADeathWhatOnlyReadsIsReadAnew() throws Exception {
        assertThat(result(diedMeanwhile("read"))).startsWith("{\"echo\"");
    }

    @Test
    void afterADeathNobodyStandsInForWhatMayHaveBeenMade() throws Exception {
        runs.world.hold();
        ExecutionId id = runs.accept("return await b.again({})" + CAUGHT, Optional.empty());
        runs.node(8).run(id);
        Together.await(Duration.ofSeconds(60), () -> runs.world.heldBack() == 1);
        runs.world.take();
        runs.store.recover(id);
        runs.world.free();
        runs.world.away("b", UNSENT);
        assertThat(runs.live(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"backend-unavailable\"");
        assertThat(runs.world.take()).isEmpty();
    }

    @Test
    void whateverDiesNoEffectIsMadeTwice() throws Exception {
        String script = "const all = []; for (let n = 0; n < 3; n++) all.push(await b.effect({ n })" + CAUGHT
                + ", await b.again({ n })" + CAUGHT + "); return all";
        runs.world.away("b", UNSENT);
        for (int first = 0; first < 12; first++) {
            ExecutionId id = runs.accept(script, Optional.empty());
            runs.endure(id, List.of(first, 2));
            assertThat(runs.store.row(id).state).isEqualTo(ExecutionState.COMPLETED);
            List<String> made = runs.world.take();
            assertThat(made).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(6);
        }
    }

    @Test
    void whatCameFromWhoStoodInIsRememberedOfItAlsoInLaterRuns() throws Exception {
        runs.world.away("b", UNSENT);
        policy = (tool, arguments, situation) -> tool.name().toString().equals("b.mail")
                        && situation.before().get().stream()
                                .anyMatch(before -> before.toString().equals("c.read"))
                ? new Decision.Deny("private", "what c tells stays here")
                : ALLOW;
        String script = "await b.read({}); return await b.mail({})" + CAUGHT;
        ExecutionId id = run(script);
        assertThat(result(id)).isEqualTo("\"denied\"");
        runs.world.back("b");
        assertThat(result(run(script))).startsWith("{\"echo\"");
        runs.world.away("b", UNSENT);

        // Of a run that only repeats the answer, too.
        ExecutionId again = runs.accept(script, Optional.of(new Rerun(id, Rerun.Mode.FROM, 2, false)));
        assertThat(runs.live(again)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(again)).isEqualTo("\"denied\"");
    }

    @Test
    void aReplayIsAnsweredTheSameAndAsksNobody() throws Exception {
        runs.world.away("b", UNSENT);
        ExecutionId id = run("return [await b.effect({ n: 1 }), await b.read({ n: 2 })]");
        runs.world.take();
        ExecutionId again = runs.accept(
                "return [await b.effect({ n: 1 }), await b.read({ n: 2 })]",
                Optional.of(new Rerun(id, Rerun.Mode.OFFLINE, 1, false)));
        assertThat(runs.live(again)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(again)).isEqualTo(result(id));
        assertThat(runs.world.take()).isEmpty();
    }
}
