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
import org.sallyport.approval.ApprovalVote;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.NamedTool;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.Cost;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.ConnectorReport;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/** Calls to an unavailable backend that has a fallback, with the real sandbox. */
class FallbackRunTest {
    private static final ToolReply UNSENT = unavailable(0);
    private static final ToolReply LOST = unavailable(2);
    private static final String CAUGHT = ".catch((e) => e.code)";
    private static final PolicyDecision ALLOW = new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);

    private volatile Policy policy = (tool, arguments, situation) -> ALLOW;
    private volatile String dear = "";
    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> new Policy() {
        @Override
        public PolicyDecision decide(ToolSpec tool, Json arguments, PolicyContext situation) {
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
        ExecutionId id = runs.submit(code, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        return id;
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    /**
     * The calls in the trace: {@code "1 b.read"} for a start, {@code "1 fallback c.read"} for a fallback,
     * {@code "1 = 3"} for an end after three attempts.
     */
    private List<String> trace(ExecutionId id) {
        List<String> trace = new ArrayList<>();
        for (TraceEvent event : runs.store.readTrace(id, 0, 1_000)) {
            if (event instanceof TraceEvent.ToolStarted started) {
                trace.add(started.call() + " " + started.tool());
            } else if (event instanceof TraceEvent.PolicyDecided judged) {
                trace.add(judged.call() + " " + judged.decision() + " " + judged.tool());
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                trace.add(ended.call() + " = " + ended.attempts());
            }
        }
        return trace;
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "again", "effect"})
    void unsentCallIsMadeOnceByTheFallback(String tool) throws Exception {
        runs.toolBridge.setUnavailable("b", UNSENT);
        ExecutionId id = run("return await b." + tool + "({ n: 1 })");
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 c." + tool);
        assertThat(trace(id)).containsExactly("1 b." + tool, "1 fallback c." + tool, "1 = 1");
        assertThat(runs.spending.total()).isEqualTo(tool.equals("read") ? Cost.ZERO : Cost.of("1"));
    }

    @Test
    void onlyReadOnlyCallsFallBackAfterTheyMayHaveReachedTheTool() throws Exception {
        runs.toolBridge.setUnavailable("b", LOST);
        ExecutionId id = run("return [await b.effect({})" + CAUGHT + ", await b.again({})" + CAUGHT
                + ", await b.mail({})" + CAUGHT + ", (await b.read({ n: 1 })).echo.n]");
        assertThat(result(id)).isEqualTo("[\"backend-unavailable\",\"backend-unavailable\",\"backend-unavailable\",1]");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("4 c.read");
        assertThat(trace(id)).endsWith("4 b.read", "4 fallback c.read", "4 = 3");
    }

    /** Each backend has the tools "get user" and "get_user", which arrived in another order. */
    @Test
    void fallbackIsTheToolThatIsDeclaredByTheSameName() throws Exception {
        runs.catalog.putNamed(
                new CatalogBackend("b", "java", "q", List.of("c", "d")),
                List.of(named("b", "effect", "get user"), named("b", "effect_2", "get_user")));
        runs.catalog.putNamed(
                new CatalogBackend("c", "java", "q"),
                List.of(named("c", "effect", "get_user"), named("c", "effect_2", "get user")));
        runs.catalog.putNamed(new CatalogBackend("d", "java", "q"), List.of(named("d", "effect", "other")));
        runs.toolBridge.setUnavailable("b", UNSENT);
        run("return [await b.effect({}), await b.effect_2({})]");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 c.effect_2", "2 c.effect");

        runs.catalog.remove("c");
        assertThat(result(run("return await b.effect({})" + CAUGHT))).isEqualTo("\"backend-unavailable\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    private static NamedTool named(String backend, String name, String declared) {
        return new NamedTool(
                new ToolSpec(new ToolName(backend, name), "", new Json("{}"), ToolHints.EFFECT),
                name,
                declared,
                Optional.empty());
    }

    @Test
    void unansweredCallNamesNoNode() throws Exception {
        runs.toolBridge.setUnavailable("b", unavailable(2).withNode("first"));
        runs.toolBridge.setUnavailable(
                "c", ToolReply.local(ToolResult.failure(ToolErrorCode.TIMEOUT, "did not answer in time")));
        ExecutionId id = run("return await b.read({})" + CAUGHT);
        assertThat(result(id)).isEqualTo("\"timeout\"");
        assertThat(runs.store.readTrace(id, 0, 1_000))
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .allSatisfy(event -> assertThat(
                                ((TraceEvent.ToolEnded) event).connectorReport().flatMap(ConnectorReport::node))
                        .isEmpty());
    }

    @Test
    void traceNamesTheAnsweringNodeAndTheTimeOfAllBackends() throws Exception {
        runs.toolBridge.setUnavailable("b", unavailable(2).withNode("first"));
        runs.toolBridge.setUnavailable("c", new ToolReply(ToolResult.success(new Json("7")), 2, 5).withNode("second"));
        ExecutionId id = run("return await b.read({})");
        assertThat(result(id)).isEqualTo("7");
        assertThat(runs.store.readTrace(id, 0, 1_000))
                .filteredOn(TraceEvent.ToolEnded.class::isInstance)
                .extracting(event -> ((TraceEvent.ToolEnded) event).connectorReport())
                .containsExactly(Optional.of(new ConnectorReport(6, Optional.of("second"))));
    }

    @ParameterizedTest
    @EnumSource(
            value = ToolErrorCode.class,
            names = {"BACKEND_UNAVAILABLE", "BACKEND_STARTING"},
            mode = EnumSource.Mode.EXCLUDE)
    void toolErrorDoesNotTriggerTheFallback(ToolErrorCode code) throws Exception {
        runs.toolBridge.setUnavailable("b", new ToolReply(ToolResult.failure(code, "no"), 0, 0, 0));
        assertThat(result(run("return await b.read({})" + CAUGHT))).isEqualTo('"' + code.code() + '"');
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    @Test
    void startingBackendTriggersTheFallback() throws Exception {
        runs.toolBridge.setUnavailable(
                "b", new ToolReply(ToolResult.failure(ToolErrorCode.BACKEND_STARTING, "soon"), 0, 0, 0));
        run("return await b.effect({})");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 c.effect");
    }

    @Test
    void fallbackNeedsItsOwnGrantAndPolicyDecision() throws Exception {
        runs.toolBridge.setUnavailable("b", UNSENT);
        runs.grants = List.of("b.*");
        ExecutionId id = run("return await b.read({}).catch((e) => e.message)");
        assertThat(result(id)).isEqualTo("\"Backend 'b' is down\"");

        runs.grants = List.of("b.*", "c.*");
        for (PolicyDecision refusal : List.of(
                new PolicyDecision.DenyDecision("closed", "closed"),
                new PolicyDecision.MockDecision("mocked", Json.NULL),
                new PolicyDecision.AskDecision(
                        "asks",
                        new ApprovalTerms(1, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.DENY, ""),
                        false))) {
            policy = (tool, arguments, situation) -> tool.name().backend().equals("c") ? refusal : ALLOW;
            assertThat(result(run("return await b.read({})" + CAUGHT))).isEqualTo("\"backend-unavailable\"");
        }
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        assertThat(runs.approvals.size()).isZero();
    }

    @Test
    void fallbackMayNotHaveMoreEffectsOrHigherCost() throws Exception {
        runs.toolBridge.setUnavailable("b", UNSENT);
        runs.toolBridge.setUnavailable("c", UNSENT);
        assertThat(result(run("return [await b.read({})" + CAUGHT + ", await b.again({})" + CAUGHT
                        + ", (await b.effect({ n: 3 })).echo.n]")))
                .isEqualTo("[\"backend-unavailable\",\"backend-unavailable\",3]");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("3 d.effect");

        runs.toolBridge.setAvailable("c");
        dear = "c.effect";
        run("return await b.effect({})");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 d.effect");
    }

    @Test
    void fallbackChainBelongsToTheCalledToolAndSkipsUnusableTools() throws Exception {
        runs.toolBridge.setUnavailable("b", UNSENT);
        runs.toolBridge.setUnavailable(
                "c", new ToolReply(ToolResult.failure(ToolErrorCode.TOOL_QUARANTINED, "no"), 0, 0, 0));
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
    void callThatMayHaveReachedAFallbackGoesNoFurther() throws Exception {
        runs.toolBridge.setUnavailable("b", UNSENT);
        runs.toolBridge.setUnavailable("c", LOST);
        assertThat(result(run("return await b.effect({})" + CAUGHT))).isEqualTo("\"backend-unavailable\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    @Test
    void approvedCallHasNoFallback() throws Exception {
        runs.toolBridge.setUnavailable("b", UNSENT);
        policy = (tool, arguments, situation) -> tool.name().backend().equals("b")
                ? new PolicyDecision.AskDecision(
                        "asks",
                        new ApprovalTerms(1, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.DENY, ""),
                        false)
                : ALLOW;
        ExecutionId id = runs.submit("return await b.effect({})" + CAUGHT, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.WAITING);
        runs.approvals.vote(
                "t",
                runs.approvals.last().id(),
                new ApprovalVote("anna", true, false, Optional.empty(), Optional.empty(), "yes"));
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"backend-unavailable\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    @Test
    void plannedEffectHasNoFallbackButReadsDo() throws Exception {
        String script = "return [await b.effect({ n: 1 })" + CAUGHT + ", (await b.read({ n: 1 })).echo.n]";
        ExecutionId plan = runs.submit(script, Optional.empty(), new EffectMode.DryRun(Json.EMPTY_OBJECT));
        assertThat(runs.runOnNewNode(plan)).isEqualTo(ExecutionState.COMPLETED);
        runs.toolBridge.takeCalls();
        runs.toolBridge.setUnavailable("b", UNSENT);
        ExecutionId id = runs.submit(
                script,
                Optional.of(new RerunOrigin(plan, RerunOrigin.RerunMode.FRESH, 1, false)),
                new EffectMode.ApprovedPlan(plan, "anna"));
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[\"backend-unavailable\",1]");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("2 c.read");
    }

    /**
     * Runs an execution whose first node dies while it waits for the reply of the fallback. The backend is available
     * again when the second node resumes the execution.
     */
    private ExecutionId diedMeanwhile(String tool) throws Exception {
        runs.toolBridge.setUnavailable("b", UNSENT);
        runs.toolBridge.holdReplies();
        ExecutionId id = runs.submit("return await b." + tool + "({})" + CAUGHT, Optional.empty());
        runs.newNode(8).run(id);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> runs.toolBridge.heldReplies() == 1);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 c." + tool);
        // The second node finds the entries that were stored before the call was sent.
        runs.store.recover(id);
        runs.toolBridge.setAvailable("b");
        runs.toolBridge.stopHolding();
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        return id;
    }

    @ParameterizedTest
    @ValueSource(strings = {"again", "effect"})
    void callSentToAFallbackIsNotRepeatedAfterACrash(String tool) throws Exception {
        ExecutionId id = diedMeanwhile(tool);
        assertThat(result(id)).isEqualTo("\"outcome-unknown\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    /**
     * The other installation recognizes calls by their ids, but it may refuse the second call although it made the
     * first, or the backend may be another installation by then.
     */
    @Test
    void effectAtARemoteInstallationIsNotRepeatedAfterACrash() throws Exception {
        runs.grants = List.of("e.*");
        runs.toolBridge.holdReplies();
        ExecutionId id = runs.submit("return await e.effect({})" + CAUGHT, Optional.empty());
        runs.newNode(8).run(id);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> runs.toolBridge.heldReplies() == 1);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 e.effect");
        runs.store.recover(id);
        runs.toolBridge.stopHolding();
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"outcome-unknown\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    @Test
    void readOnlyCallIsRepeatedAfterACrash() throws Exception {
        assertThat(result(diedMeanwhile("read"))).startsWith("{\"echo\"");
    }

    @Test
    void callThatMayHaveBeenMadeHasNoFallbackAfterACrash() throws Exception {
        runs.toolBridge.holdReplies();
        ExecutionId id = runs.submit("return await b.again({})" + CAUGHT, Optional.empty());
        runs.newNode(8).run(id);
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> runs.toolBridge.heldReplies() == 1);
        runs.toolBridge.takeCalls();
        runs.store.recover(id);
        runs.toolBridge.stopHolding();
        runs.toolBridge.setUnavailable("b", UNSENT);
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"backend-unavailable\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    @Test
    void noEffectIsMadeTwiceAcrossCrashes() throws Exception {
        String script = "const all = []; for (let n = 0; n < 3; n++) all.push(await b.effect({ n })" + CAUGHT
                + ", await b.again({ n })" + CAUGHT + "); return all";
        runs.toolBridge.setUnavailable("b", UNSENT);
        for (int first = 0; first < 12; first++) {
            ExecutionId id = runs.submit(script, Optional.empty());
            runs.runThroughCrashes(id, List.of(first, 2));
            assertThat(runs.store.row(id).state).isEqualTo(ExecutionState.COMPLETED);
            List<String> calls = runs.toolBridge.takeCalls();
            assertThat(calls).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(6);
        }
    }

    @Test
    void laterRunsRememberThatAFallbackAnswered() throws Exception {
        runs.toolBridge.setUnavailable("b", UNSENT);
        policy = (tool, arguments, situation) -> tool.name().toString().equals("b.mail")
                        && situation.previousCalls().get().stream()
                                .anyMatch(before -> before.toString().equals("c.read"))
                ? new PolicyDecision.DenyDecision("private", "what c tells stays here")
                : ALLOW;
        String script = "await b.read({}); return await b.mail({})" + CAUGHT;
        ExecutionId id = run(script);
        assertThat(result(id)).isEqualTo("\"denied\"");
        runs.toolBridge.setAvailable("b");
        assertThat(result(run(script))).startsWith("{\"echo\"");
        runs.toolBridge.setUnavailable("b", UNSENT);

        // The same holds for a re-run that only repeats the recorded reply.
        ExecutionId rerun = runs.submit(script, Optional.of(new RerunOrigin(id, RerunOrigin.RerunMode.FROM, 2, false)));
        assertThat(runs.runOnNewNode(rerun)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(rerun)).isEqualTo("\"denied\"");
    }

    @Test
    void replayReturnsFallbackAnswersWithoutCalls() throws Exception {
        runs.toolBridge.setUnavailable("b", UNSENT);
        ExecutionId id = run("return [await b.effect({ n: 1 }), await b.read({ n: 2 })]");
        runs.toolBridge.takeCalls();
        ExecutionId rerun = runs.submit(
                "return [await b.effect({ n: 1 }), await b.read({ n: 2 })]",
                Optional.of(new RerunOrigin(id, RerunOrigin.RerunMode.OFFLINE, 1, false)));
        assertThat(runs.runOnNewNode(rerun)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(rerun)).isEqualTo(result(id));
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }
}
