package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.DryRunPlan;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.tool.Json;

/** Dry runs, and runs that must follow their plans, with the real sandbox. */
class PlanRunTest {
    private static final String SCRIPT = "const r = await b.read({ n: 3 }); const e = await b.effect({ n: 1 });"
            + " const m = await b.mail({ to: 'x' }); return [r, e, m]";
    private static final EffectMode DRY = new EffectMode.DryRun(new Json("{\"b.effect\":{\"done\":true}}"));

    private volatile Policy policy = Policy.defaultPolicy();
    private final ScriptRunFixture runs =
            new ScriptRunFixture(tenant -> (tool, arguments, situation) -> policy.decide(tool, arguments, situation));

    private ExecutionId dry(String code) throws Exception {
        ExecutionId id = runs.submit(code, Optional.empty(), DRY);
        assertThat(runs.runOnNewNode(id)).as(outcome(id)).isEqualTo(ExecutionState.COMPLETED);
        return id;
    }

    private ExecutionId real(String code, ExecutionId plan) {
        return runs.submit(
                code,
                Optional.of(new RerunOrigin(plan, RerunOrigin.RerunMode.FRESH, 1, false)),
                new EffectMode.ApprovedPlan(plan, "anna"));
    }

    private String outcome(ExecutionId id) {
        return String.valueOf(runs.store.row(id).outcome);
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : outcome(id);
    }

    private DryRunPlan plan(ExecutionId id) {
        return DryRunPlan.read(runs.store, id, Long.MAX_VALUE).orElseThrow();
    }

    @Test
    void dryRunMakesReadOnlyCallsAndPlansTheRest() throws Exception {
        ExecutionId id = dry(SCRIPT);

        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read");
        assertThat(result(id)).isEqualTo("[{\"echo\":{\"n\":3}},{\"done\":true},null]");
        assertThat(plan(id).steps()).extracting(DryRunPlan.PlanStep::call).containsExactly(2L, 3L);
        assertThat(plan(id).steps())
                .extracting(DryRunPlan.PlanStep::needsApproval)
                .containsExactly(false, true);
        assertThat(plan(id).steps().get(0).result()).contains(new Json("{\"done\":true}"));
        assertThat(plan(id).steps().get(1).effect().arguments()).isEqualTo(new Json("{\"to\":\"x\"}"));
        assertThat(runs.approvals.size()).isZero();
    }

    @Test
    void planBeyondTheGivenSizeIsNotRead() throws Exception {
        ExecutionId id = dry(SCRIPT);
        assertThat(DryRunPlan.read(runs.store, id, 10_000)).contains(plan(id));
        assertThat(DryRunPlan.read(runs.store, id, 100)).isEmpty();
    }

    private ExecutionId dryAgain(ExecutionId of, RerunOrigin.RerunMode mode, long from, Integer... deaths)
            throws Exception {
        ExecutionId id = runs.submit(SCRIPT, Optional.of(new RerunOrigin(of, mode, from, false)), DRY);
        runs.runThroughCrashes(id, List.of(deaths));
        assertThat(runs.store.row(id).state).as(outcome(id)).isEqualTo(ExecutionState.COMPLETED);
        return id;
    }

    private ExecutionId made() throws Exception {
        policy = (tool, arguments, situation) -> new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        ExecutionId id = runs.submit(SCRIPT, Optional.empty());
        assertThat(runs.runOnNewNode(id)).as(outcome(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read", "2 effect", "3 mail");
        policy = Policy.defaultPolicy();
        return id;
    }

    @Test
    void offlineDryRunPlansTheRecordedEffectsWithTheirAnswers() throws Exception {
        ExecutionId original = made();
        for (Integer[] deaths : new Integer[][] {{}, {0}, {1, 0}}) {
            ExecutionId dry = dryAgain(original, RerunOrigin.RerunMode.OFFLINE, 1, deaths);

            assertThat(runs.toolBridge.takeCalls()).isEmpty();
            assertThat(result(dry)).isEqualTo(result(original));
            assertThat(plan(dry).steps()).extracting(DryRunPlan.PlanStep::call).containsExactly(2L, 3L);
            assertThat(plan(dry).steps())
                    .extracting(step -> step.result().orElseThrow().text())
                    .containsExactly("{\"echo\":{\"n\":1}}", "{\"echo\":{\"to\":\"x\"}}");
        }
    }

    @Test
    void dryRunFromACallReplaysEarlierAnswersAndMocksTheRest() throws Exception {
        ExecutionId original = made();

        ExecutionId dry = dryAgain(original, RerunOrigin.RerunMode.FROM, 3);

        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        assertThat(result(dry)).isEqualTo("[{\"echo\":{\"n\":3}},{\"echo\":{\"n\":1}},null]");
        assertThat(plan(dry).steps()).extracting(DryRunPlan.PlanStep::call).containsExactly(2L, 3L);
        assertThat(runs.approvals.size()).isZero();

        ExecutionId all = dryAgain(original, RerunOrigin.RerunMode.FROM, 1);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read");
        assertThat(result(all)).isEqualTo("[{\"echo\":{\"n\":3}},{\"done\":true},null]");
        assertThat(plan(all).steps()).extracting(DryRunPlan.PlanStep::call).containsExactly(2L, 3L);
    }

    @Test
    void dryRunPlansEachCallOnceAcrossCrashes() throws Exception {
        for (int death = 0; death < 6; death++) {
            ExecutionId id = runs.submit(SCRIPT, Optional.empty(), DRY);
            runs.runThroughCrashes(id, List.of(death, death / 2));
            assertThat(runs.toolBridge.takeCalls()).containsOnly("1 read");
            assertThat(plan(id).steps()).extracting(DryRunPlan.PlanStep::call).containsExactly(2L, 3L);
        }
    }

    @Test
    void dryRunEmitsNoEventsAndAPlannedRunOnlyPlannedOnes() throws Exception {
        String code = "await events.emit('done', { n: 1 }); return 1";
        ExecutionId planned = dry(code);
        assertThat(plan(planned).steps())
                .extracting(step -> step.effect().tool().tool())
                .containsExactly("events.emit");

        assertThat(runs.runOnNewNode(real(code, planned))).isEqualTo(ExecutionState.COMPLETED);
        ExecutionId other = real("await events.emit('done', { n: 2 }); return 1", planned);
        assertThat(runs.runOnNewNode(other)).isEqualTo(ExecutionState.FAILED);
        assertThat(outcome(other)).contains("not in the approved plan");
    }

    @Test
    void questionIsPlannedInADryRunAndAskedInThePlannedRun() throws Exception {
        String code = "return (await approvals.request({ title: 'Ship?' })).approved";
        ExecutionId planned = dry(code);
        assertThat(plan(planned).steps())
                .extracting(step -> step.effect().tool().tool())
                .containsExactly("approvals.request");
        assertThat(result(planned)).isEqualTo("true");
        assertThat(runs.approvals.size()).isZero();

        assertThat(runs.runOnNewNode(real(code, planned))).isEqualTo(ExecutionState.WAITING);
        assertThat(runs.approvals.last().request().terms().reason()).isEqualTo("Ship?");
        ExecutionId other = real(code.replace("Ship", "Send"), planned);
        assertThat(runs.runOnNewNode(other)).isEqualTo(ExecutionState.FAILED);
        assertThat(outcome(other)).contains("not in the approved plan");
    }

    @Test
    void approvedPlanRunsWithoutFurtherApprovals() throws Exception {
        ExecutionId id = real(SCRIPT, dry(SCRIPT));
        runs.toolBridge.takeCalls();

        assertThat(runs.runOnNewNode(id)).as(outcome(id)).isEqualTo(ExecutionState.COMPLETED);

        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read", "2 effect", "3 mail");
        assertThat(runs.approvals.size()).isZero();
    }

    @Test
    void unplannedCallStopsTheScriptEvenIfItCatchesErrors() throws Exception {
        String other = "await b.effect({ n: 1 }); try { await b.effect({ n: 2 }) } catch { } await b.effect({ n: 1 });"
                + " return 'done'";
        for (String code : List.of(
                other,
                "await b.effect({ n: 1 }); await b.effect({ n: 1 }).catch(() => 0); return 'twice'",
                "await b.effect({ n: 1 }); b.again({ n: 7 }).catch(() => 0); return 'floating'")) {
            ExecutionId id = real(code, dry(SCRIPT));
            runs.toolBridge.takeCalls();

            assertThat(runs.runOnNewNode(id)).as(code).isEqualTo(ExecutionState.FAILED);

            assertThat(runs.store.row(id).outcome)
                    .isInstanceOfSatisfying(ExecutionOutcome.ExecutionFailed.class, failed -> {
                        assertThat(failed.error().code()).isEqualTo(ErrorCode.OUTSIDE_PLAN.code());
                        assertThat(failed.error().message()).contains("call 2").contains("not in the approved plan");
                    });
            assertThat(runs.toolBridge.takeCalls()).as(code).containsExactly("1 effect");
        }
    }

    @Test
    void planDoesNotBypassPolicyRules() throws Exception {
        ExecutionId planned = dry(SCRIPT);
        runs.toolBridge.takeCalls();
        policy = (tool, arguments, situation) -> tool.hints().destructive()
                ? new PolicyDecision.DenyDecision("no-mail", "not today")
                : new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        ExecutionId denied = real(SCRIPT, planned);
        assertThat(runs.runOnNewNode(denied)).isEqualTo(ExecutionState.FAILED);
        assertThat(outcome(denied)).contains("not today");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read", "2 effect");

        ApprovalTerms two = new ApprovalTerms(2, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.DENY, "");
        policy = (tool, arguments, situation) -> tool.hints().destructive()
                ? new PolicyDecision.AskDecision("two", two, false)
                : new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        assertThat(runs.runOnNewNode(real(SCRIPT, planned))).isEqualTo(ExecutionState.WAITING);
    }

    @Test
    void plannedRunMakesEachEffectOnceAcrossCrashes() throws Exception {
        String code = "await b.effect({ n: 1 }); await b.again({ n: 1 }); await b.again({ n: 1 });"
                + " return await b.mail({ to: 'x' }).catch((e) => e.code)";
        ExecutionId planned = dry(code);
        for (int death = 0; death < 8; death++) {
            runs.toolBridge.takeCalls();
            ExecutionId id = real(code, planned);
            runs.runThroughCrashes(id, List.of(death));
            assertThat(runs.toolBridge.takeCalls()).as("death after " + death).doesNotHaveDuplicates();
            assertThat(outcome(id)).as("death after " + death).doesNotContain("outside-plan");
        }
    }
}
