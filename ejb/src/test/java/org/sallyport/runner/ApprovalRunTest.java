package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;

/** Executions that wait for approvals, with the real sandbox. */
class ApprovalRunTest {
    private static final String MAIL = "const a = await b.effect({ n: 1 }); console.log('asking');"
            + " const m = await b.mail({ to: 'x' }).catch((e) => e.code + ': ' + e.message);"
            + " await b.effect({ n: 2 }); return m";

    private volatile Policy policy = Policy.defaultPolicy();
    private final ScriptRunFixture runs =
            new ScriptRunFixture(tenant -> (tool, arguments, situation) -> policy.decide(tool, arguments, situation));

    private ExecutionId asking(String code) throws Exception {
        ExecutionId id = runs.submit(code, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.WAITING);
        return id;
    }

    private void vote(boolean yes, Optional<Json> edited, Optional<Json> result) {
        runs.approvals.vote(
                "t",
                runs.approvals.last().id(),
                new ApprovalVote("anna", yes, false, edited, result, "since I say so"));
    }

    private void approve() {
        vote(true, Optional.empty(), Optional.empty());
    }

    private List<String> kinds(ExecutionId id) {
        List<String> kinds = new ArrayList<>();
        for (TraceEvent event : runs.store.readTrace(id, 0, 1_000)) {
            if (event instanceof TraceEvent.PolicyDecided judged) {
                kinds.add("judged " + judged.decision() + " " + judged.rule());
            } else if (event instanceof TraceEvent.ApprovalRequested asked) {
                kinds.add("asked " + asked.call());
            } else if (event instanceof TraceEvent.ApprovalDecided decided) {
                kinds.add("decided " + decided.call() + " " + decided.state() + " " + decided.decidedBy());
            }
        }
        return kinds;
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    @Test
    void approvedCallIsMadeOnceAndTheScriptContinues() throws Exception {
        ExecutionId id = asking(MAIL);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
        Approval asked = runs.approvals.last();
        assertThat(asked.request().arguments()).isEqualTo(new Json("{\"to\":\"x\"}"));

        approve();

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("2 mail", "3 effect");
        assertThat(result(id)).isEqualTo("{\"echo\":{\"to\":\"x\"}}");
        assertThat(runs.store.row(id).out).hasToString("asking\n");
        assertThat(kinds(id))
                .containsExactly("judged ask default/ask-destructive", "asked 2", "decided 2 APPROVED anna");
        assertThat(runs.approvals.size()).isOne();
    }

    @Test
    void deniedCallIsNotMadeAndTheScriptReceivesTheReason() throws Exception {
        ExecutionId id = asking(MAIL);
        vote(false, Optional.empty(), Optional.empty());

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect", "3 effect");
        assertThat(result(id)).contains("denied: ").contains("since I say so").contains("default/ask-destructive");
    }

    @Test
    void approverMayChangeTheArguments() throws Exception {
        ExecutionId id = asking(MAIL);
        vote(true, Optional.of(new Json("{\"to\":\"y\"}")), Optional.empty());

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"to\":\"y\"}}");
    }

    @Test
    void policyAlsoAppliesToArgumentsThatAnApproverChanged() throws Exception {
        ExecutionId id = asking(MAIL);
        Policy before = policy;
        policy = (tool, arguments, situation) -> arguments.text().contains("boss")
                ? new PolicyDecision.DenyDecision("not-the-boss", "not to the boss")
                : before.decide(tool, arguments, situation);
        vote(true, Optional.of(new Json("{\"to\":\"boss\"}")), Optional.empty());

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect", "3 effect");
        assertThat(result(id)).contains("not-the-boss");
    }

    @Test
    void changedArgumentsNeedAnotherApprovalUnderAnotherRule() throws Exception {
        policy = (tool, arguments, situation) -> !tool.hints().destructive()
                ? new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW)
                : arguments.text().contains("more")
                        ? new PolicyDecision.AskDecision("much", terms(3), false)
                        : new PolicyDecision.AskDecision("little", terms(1), false);
        ExecutionId id = asking(MAIL);
        vote(true, Optional.of(new Json("{\"to\":\"more\"}")), Optional.empty());

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect", "3 effect");
        assertThat(result(id)).contains("requires another approval").contains("much");
    }

    private static ApprovalTerms terms(int approvers) {
        return new ApprovalTerms(approvers, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.DENY, "");
    }

    private static PolicyDecision.AskDecision valued(String value) {
        return new PolicyDecision.AskDecision(
                "valued",
                new ApprovalTerms(
                        1, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.value(new Json(value)), ""),
                false);
    }

    private void askOfMails(PolicyDecision decision) {
        policy = (tool, arguments, situation) ->
                tool.hints().destructive() ? decision : new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
    }

    /** The end event of a call. Asserts that there is exactly one. */
    private TraceEvent.ToolEnded ended(ExecutionId id, long call) {
        List<TraceEvent.ToolEnded> ends = runs.store.readTrace(id, 0, 1_000).stream()
                .filter(TraceEvent.ToolEnded.class::isInstance)
                .map(TraceEvent.ToolEnded.class::cast)
                .filter(end -> end.call() == call)
                .toList();
        assertThat(ends).hasSize(1);
        return ends.get(0);
    }

    @Test
    void expiredApprovalAnswersTheCallWithItsFallbackValue() throws Exception {
        askOfMails(valued("{\"sent\":false}"));
        ExecutionId id = asking(MAIL);
        runs.approvals.expireAll();

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"sent\":false}");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect", "3 effect");
        assertThat(kinds(id))
                .containsExactly("judged ask valued", "asked 2", "decided 2 EXPIRED ", "judged mock valued");
        assertThat(ended(id, 2).result()).contains(new Json("{\"sent\":false}"));
        assertThat(ended(id, 2).error()).isEmpty();
        assertThat(runs.approvals.last().isGranted()).isFalse();
    }

    @Test
    void runningScriptReceivesTheFallbackValueOfAnExpiredApproval() throws Exception {
        askOfMails(valued("null"));
        ExecutionId id = runs.submit(
                "const m = b.mail({}); const id = setInterval(() => 0, 5); const r = await m;"
                        + " clearInterval(id); return [r]",
                Optional.empty());
        Thread time = new Thread(() -> {
            while (runs.approvals.size() == 0) {
                LockSupport.parkNanos(1_000_000);
            }
            runs.approvals.expireAll();
        });
        time.start();
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        time.join();
        assertThat(result(id)).isEqualTo("[null]");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }

    @Test
    void decisionInTimeOverridesTheExpiryAction() throws Exception {
        askOfMails(valued("\"silence\""));
        ExecutionId approved = asking(MAIL);
        approve();
        assertThat(runs.runOnNewNode(approved)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(approved)).isEqualTo("{\"echo\":{\"to\":\"x\"}}");
        ExecutionId denied = asking(MAIL);
        vote(false, Optional.empty(), Optional.empty());
        assertThat(runs.runOnNewNode(denied)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(denied)).contains("denied: ");
    }

    @Test
    void crashesNeverChangeTheFallbackValueOrMakeTheCall() throws Exception {
        String code = MAIL.replace("effect", "again");
        for (int before = 0; before < 4; before++) {
            for (int after = 0; after < 6; after++) {
                askOfMails(valued("\"first\""));
                ExecutionId id = runs.submit(code, Optional.empty());
                int asked = runs.approvals.size();
                runs.store.crashAfter(before);
                runs.runOnNewNode(id);
                runs.store.stopCrashing();
                if (runs.store.row(id).state != ExecutionState.WAITING) {
                    runs.store.recover(id);
                    assertThat(runs.runOnNewNode(id)).as(result(id)).isEqualTo(ExecutionState.WAITING);
                }
                runs.approvals.expireAll();
                // The rule names another value by now; the value at the time of the request applies.
                askOfMails(valued("\"second\""));
                runs.runThroughCrashes(id, List.of(after));
                String deaths = "deaths after " + before + " and " + after;
                assertThat(runs.approvals.size()).as(deaths).isEqualTo(asked + 1);
                assertThat(result(id)).as(deaths).isEqualTo("\"first\"");
                assertThat(ended(id, 2).result()).as(deaths).contains(new Json("\"first\""));
                assertThat(kinds(id)).as(deaths).contains("decided 2 EXPIRED ", "judged mock valued");
                assertThat(runs.toolBridge.takeCalls()).as(deaths).containsExactly("1 again", "3 again");
            }
        }
    }

    private static final String ONCE = MAIL.replace("effect", "again").replace("mail", "effect");

    private static PolicyDecision.AskDecision silent(ApprovalTerms.ExpiryAction atExpiry) {
        return new PolicyDecision.AskDecision(
                "silent", new ApprovalTerms(1, ApprovalTerms.DEFAULT_TIMEOUT, atExpiry, ""), false);
    }

    private void askOfEffects(PolicyDecision decision) {
        policy = (tool, arguments, situation) -> tool.name().tool().equals("effect")
                ? decision
                : new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
    }

    @Test
    void expiredApprovalMakesTheCallOnceWhenItsRuleApproves() throws Exception {
        askOfEffects(silent(ApprovalTerms.ExpiryAction.APPROVE));
        ExecutionId id = asking(ONCE);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 again");
        runs.approvals.expireAll();

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"to\":\"x\"}}");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("2 effect", "3 again");
        assertThat(kinds(id)).containsExactly("judged ask silent", "asked 2", "decided 2 EXPIRED ");
        assertThat(ended(id, 2).error()).isEmpty();
        assertThat(runs.approvals.size()).isOne();
    }

    @Test
    void expiredApprovalDeniesTheCallWhenItsRuleDenies() throws Exception {
        askOfEffects(silent(ApprovalTerms.ExpiryAction.DENY));
        ExecutionId id = asking(ONCE);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 again");
        runs.approvals.expireAll();

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).startsWith("\"denied: ").contains("(rule silent)");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("3 again");
        assertThat(kinds(id)).containsExactly("judged ask silent", "asked 2", "decided 2 EXPIRED ");
        assertThat(ended(id, 2).error())
                .hasValueSatisfying(e -> assertThat(e.code()).isEqualTo(ToolErrorCode.DENIED));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void crashesNeverChangeTheExpiryActionOfTheAskingRule(boolean approved) throws Exception {
        ApprovalTerms.ExpiryAction asked =
                approved ? ApprovalTerms.ExpiryAction.APPROVE : ApprovalTerms.ExpiryAction.DENY;
        ApprovalTerms.ExpiryAction later =
                approved ? ApprovalTerms.ExpiryAction.DENY : ApprovalTerms.ExpiryAction.APPROVE;
        for (int before = 0; before < 4; before++) {
            for (int after = 0; after < 6; after++) {
                String deaths = "deaths after " + before + " and " + after;
                askOfEffects(silent(asked));
                ExecutionId id = runs.submit(ONCE, Optional.empty());
                int questions = runs.approvals.size();
                runs.store.crashAfter(before);
                runs.runOnNewNode(id);
                runs.store.stopCrashing();
                if (runs.store.row(id).state != ExecutionState.WAITING) {
                    runs.store.recover(id);
                    assertThat(runs.runOnNewNode(id)).as(result(id)).isEqualTo(ExecutionState.WAITING);
                }
                runs.approvals.expireAll();
                askOfEffects(silent(later));
                runs.runThroughCrashes(id, List.of(after));

                assertThat(runs.approvals.size()).as(deaths).isEqualTo(questions + 1);
                assertThat(kinds(id)).as(deaths).contains("decided 2 EXPIRED ");
                List<String> calls = runs.toolBridge.takeCalls();
                if (!approved) {
                    assertThat(result(id)).as(deaths).startsWith("\"denied: ");
                    assertThat(calls).as(deaths).containsExactly("1 again", "3 again");
                } else if (result(id).contains("outcome-unknown")) {
                    // The call was sent, and the node died before it stored the reply.
                    assertThat(calls).as(deaths).containsExactly("1 again", "2 effect", "3 again");
                } else {
                    assertThat(result(id)).as(deaths).isEqualTo("{\"echo\":{\"to\":\"x\"}}");
                    assertThat(calls).as(deaths).containsExactly("1 again", "2 effect", "3 again");
                }
            }
        }
    }

    @Test
    void fallbackValueIsTheSameAfterACrashAtAnyJournalWrite() throws Exception {
        askOfMails(valued("\"first\""));
        ExecutionId id = asking(MAIL.replace("effect", "again"));
        runs.approvals.expireAll();
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        runs.toolBridge.takeCalls();
        List<TraceEvent> all = runs.store.readTrace(id, 0, 1_000);
        // The runner requests no approval before this event is stored.
        int asked = IntStream.range(0, all.size())
                .filter(i -> all.get(i) instanceof TraceEvent.PolicyDecided)
                .findFirst()
                .orElseThrow();
        askOfMails(valued("\"second\""));
        for (int written = asked + 1; written < all.size(); written++) {
            InMemoryExecutionStore.StoredExecution row = runs.store.row(id);
            row.trace.clear();
            row.trace.addAll(all.subList(0, written));
            runs.store.recover(id);
            String cut = "died after " + all.get(written - 1);
            assertThat(runs.runOnNewNode(id)).as(cut).isEqualTo(ExecutionState.COMPLETED);
            assertThat(result(id)).as(cut).isEqualTo("\"first\"");
            assertThat(ended(id, 2).result()).as(cut).contains(new Json("\"first\""));
            assertThat(runs.toolBridge.takeCalls()).as(cut).isEmpty();
        }
        assertThat(runs.approvals.size()).isOne();
    }

    @Test
    void rerunReplaysTheFallbackValueAndAsksAgainForNewCalls() throws Exception {
        askOfMails(valued("\"silence\""));
        ExecutionId first = asking(MAIL);
        runs.approvals.expireAll();
        assertThat(runs.runOnNewNode(first)).isEqualTo(ExecutionState.COMPLETED);
        runs.toolBridge.takeCalls();

        policy = (tool, arguments, situation) -> new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        ExecutionId offline =
                runs.submit(MAIL, Optional.of(new RerunOrigin(first, RerunOrigin.RerunMode.OFFLINE, 1, false)));
        assertThat(runs.runOnNewNode(offline)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(offline)).isEqualTo("\"silence\"");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        ExecutionId behind =
                runs.submit(MAIL, Optional.of(new RerunOrigin(first, RerunOrigin.RerunMode.FROM, 3, false)));
        assertThat(runs.runOnNewNode(behind)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(behind)).isEqualTo("\"silence\"");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("3 effect");
        assertThat(runs.approvals.size()).isOne();

        askOfMails(valued("\"other\""));
        ExecutionId from = runs.submit(MAIL, Optional.of(new RerunOrigin(first, RerunOrigin.RerunMode.FROM, 2, false)));
        assertThat(runs.runOnNewNode(from)).isEqualTo(ExecutionState.WAITING);
        runs.approvals.expireAll();
        assertThat(runs.runOnNewNode(from)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(from)).isEqualTo("\"other\"");
        assertThat(runs.approvals.size()).isEqualTo(2);
    }

    @Test
    void newPolicyRuleIsNotAppliedToACallThatMayHaveBeenSent() throws Exception {
        for (PolicyDecision now : List.of(
                new PolicyDecision.DenyDecision("closed", "closed now"),
                new PolicyDecision.AskDecision("asks", terms(1), false),
                new PolicyDecision.MockDecision("pretends", Json.NULL))) {
            policy = Policy.defaultPolicy();
            ExecutionId id = runs.submit("return await b.effect({ n: 1 }).catch((e) => e.code)", Optional.empty());
            runs.store.crashAfter(1);
            runs.runOnNewNode(id);
            runs.store.stopCrashing();
            runs.store.recover(id);
            assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
            policy = (tool, arguments, situation) -> now;
            assertThat(runs.runOnNewNode(id)).as(now.rule()).isEqualTo(ExecutionState.COMPLETED);
            assertThat(result(id)).as(now.rule()).isEqualTo("\"outcome-unknown\"");
            assertThat(runs.toolBridge.takeCalls()).isEmpty();
        }
    }

    @Test
    void heldCallThatIsAllowedNowIsMadeOnceAcrossACrash() throws Exception {
        ExecutionId id = asking("return await b.mail({ n: 1 }).catch((e) => e.code)");
        policy = (tool, arguments, situation) -> new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        approve();
        // The first write stores that the call is sent. The node dies at the next write, which would store the reply.
        runs.store.crashAfter(1);
        runs.runOnNewNode(id);
        runs.store.stopCrashing();
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 mail");
        runs.store.recover(id);
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        assertThat(result(id)).isEqualTo("\"outcome-unknown\"");
    }

    @Test
    void otherCallsProceedWhileOneWaitsForApproval() throws Exception {
        ExecutionId id = asking("const m = b.mail({}); const e = await b.effect({ n: 1 }); await sleep(5);"
                + " console.log('beside'); return [await m, e]");
        assertThat(runs.store.row(id).out).hasToString("beside\n");
        approve();

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).containsExactlyInAnyOrder("2 effect", "1 mail");
        assertThat(result(id)).isEqualTo("[{\"echo\":{}},{\"echo\":{\"n\":1}}]");
    }

    @Test
    void openApprovalsOfAnExecutionAreLimitedToTwenty() throws Exception {
        ExecutionId id = asking("const all = []; for (let i = 0; i < 30; i++) all.push(b.mail({ i }));"
                + " return (await Promise.all(all)).length");
        assertThat(runs.approvals.size()).isEqualTo(RunApprovals.MAX_OPEN_APPROVALS);
        runs.approvals.approveAll();

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.WAITING);
        assertThat(runs.approvals.size()).isEqualTo(30);
        assertThat(runs.toolBridge.takeCalls()).hasSize(20);
        runs.approvals.approveAll();

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.toolBridge.takeCalls()).hasSize(10);
        assertThat(result(id)).isEqualTo("30");
    }

    @Test
    void runningScriptReceivesTheDecision() throws Exception {
        ExecutionId id = runs.submit(
                "const m = b.mail({}); let ticks = 0; const id = setInterval(() => ticks++, 5); const r = await m;"
                        + " clearInterval(id); return r",
                Optional.empty());
        Thread voter = new Thread(() -> {
            while (runs.approvals.size() == 0) {
                LockSupport.parkNanos(1_000_000);
            }
            approve();
        });
        voter.start();
        assertThat(runs.runToEnd(id)).isEqualTo(ExecutionState.COMPLETED);
        voter.join();
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 mail");
    }

    @Test
    void callInProgressAtParkingTimeIsMadeOnceAndAnswered() throws Exception {
        runs.toolBridge.holdReplies();
        ExecutionId id = runs.submit(
                "const m = b.mail({ n: 1 }); await b.again({}); console.log('waits'); return await m",
                Optional.empty());
        Thread others = new Thread(() -> {
            until(() -> runs.approvals.size() == 1 && runs.toolBridge.heldReplies() == 1);
            approve();
            until(() -> runs.toolBridge.heldReplies() == 2);
            runs.toolBridge.releaseReply();
            until(() -> runs.store.row(id).out.toString().equals("waits\n"));
            runs.toolBridge.releaseReply();
        });
        others.start();
        assertThat(runs.runToEnd(id)).isEqualTo(ExecutionState.COMPLETED);
        others.join();
        assertThat(runs.toolBridge.takeCalls()).containsExactlyInAnyOrder("1 mail", "2 again");
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.store.row(id).out).hasToString("waits\n");
    }

    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void crashesAroundAnApprovalDoNotChangeTheResult() throws Exception {
        for (int before = 0; before < 4; before++) {
            for (int after = 0; after < 4; after++) {
                ExecutionId id = runs.submit(MAIL.replace("effect", "again"), Optional.empty());
                int asked = runs.approvals.size();
                runs.store.crashAfter(before);
                runs.runOnNewNode(id);
                runs.store.stopCrashing();
                if (runs.store.row(id).state != ExecutionState.WAITING) {
                    runs.store.recover(id);
                    assertThat(runs.runOnNewNode(id)).as(result(id)).isEqualTo(ExecutionState.WAITING);
                }
                assertThat(runs.approvals.size()).isEqualTo(asked + 1);
                approve();
                runs.store.crashAfter(after);
                if (!runs.runOnNewNode(id).isTerminal()) {
                    runs.store.stopCrashing();
                    runs.store.recover(id);
                    runs.runOnNewNode(id);
                }
                runs.store.stopCrashing();
                assertThat(runs.approvals.size()).as("asked once").isEqualTo(asked + 1);
                List<String> calls = runs.toolBridge.takeCalls();
                assertThat(calls).as("deaths after " + before + " and " + after).doesNotHaveDuplicates();
                assertThat(result(id))
                        .satisfiesAnyOf(
                                result -> assertThat(result).isEqualTo("{\"echo\":{\"to\":\"x\"}}"),
                                result -> assertThat(result).contains("outcome-unknown"));
            }
        }
    }

    @Test
    void personDecidesTheUnknownOutcomeOfACallWhenARuleSaysSo() throws Exception {
        policy = (tool, arguments, situation) -> new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW, true);
        String code = "return [await b.effect({ n: 1 }).catch((e) => e.code), await b.again({ n: 2 })]";
        for (String outcome : List.of("result", "repeat", "fail")) {
            ExecutionId id = runs.submit(code, Optional.empty());
            // The first write stores the start of the call. The node dies at the second write, which would store the
            // reply.
            runs.store.crashAfter(1);
            runs.runOnNewNode(id);
            runs.store.stopCrashing();
            runs.store.recover(id);
            assertThat(runs.toolBridge.takeCalls()).containsExactly("1 effect");
            assertThat(runs.runOnNewNode(id)).as(outcome).isEqualTo(ExecutionState.WAITING);
            Approval asked = runs.approvals.last();
            assertThat(asked.request().kind()).isEqualTo(ApprovalKind.OUTCOME);
            assertThat(asked.request().terms().requiredApprovals()).isOne();
            assertThat(asked.request().terms().timeout()).isEqualTo(ApprovalTerms.DEFAULT_TIMEOUT);

            vote(
                    !outcome.equals("fail"),
                    Optional.empty(),
                    outcome.equals("result") ? Optional.of(new Json("\"it did\"")) : Optional.empty());

            assertThat(runs.runOnNewNode(id)).as(outcome).isEqualTo(ExecutionState.COMPLETED);
            List<String> calls = runs.toolBridge.takeCalls();
            switch (outcome) {
                case "result" -> {
                    assertThat(calls).containsExactly("2 again");
                    assertThat(result(id)).isEqualTo("[\"it did\",{\"echo\":{\"n\":2}}]");
                }
                case "repeat" -> {
                    assertThat(calls).containsExactly("1 effect", "2 again");
                    assertThat(result(id)).isEqualTo("[{\"echo\":{\"n\":1}},{\"echo\":{\"n\":2}}]");
                }
                default -> {
                    assertThat(calls).containsExactly("2 again");
                    assertThat(result(id)).isEqualTo("[\"outcome-unknown\",{\"echo\":{\"n\":2}}]");
                }
            }
        }
    }

    private static final String QUESTION =
            "const { by, approved, state, note, answer } = await approvals.request({ title: 'Ship?', details:"
                    + " { order: 1e2 } }); return [approved, state, by, note, answer]";

    @Test
    void scriptAsksAQuestionAndReceivesTheAnswer() throws Exception {
        ExecutionId id = asking(QUESTION);
        Approval asked = runs.approvals.last();
        assertThat(asked.request().kind()).isEqualTo(ApprovalKind.QUESTION);
        assertThat(asked.request().terms().reason()).isEqualTo("Ship?");
        assertThat(asked.request().arguments().text()).contains("\"order\":100");

        vote(true, Optional.empty(), Optional.of(new Json("{\"slot\":1.50}")));

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[true,\"APPROVED\",\"anna\",\"since I say so\",{\"slot\":1.5}]");
        assertThat(kinds(id)).containsExactly("asked 1", "decided 1 APPROVED anna");
    }

    @Test
    void deniedQuestionIsAnOrdinaryAnswer() throws Exception {
        ExecutionId id = asking(QUESTION);
        vote(false, Optional.empty(), Optional.empty());

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("[false,\"DENIED\",\"anna\",\"since I say so\",null]");
    }

    @Test
    void invalidQuestionCreatesNoApproval() throws Exception {
        String code = "return Promise.all([{ title: 'a', timeout: 5 }, { title: 'a', approvers: 11 }, { title: ' ' }]"
                + ".map((it) => approvals.request(it).catch((e) => e.code + ' ' + e.message)))";
        ExecutionId id = runs.submit(code, Optional.empty());

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id))
                .contains("invalid-arguments timeout must be a whole number from 60000 to ")
                .contains("invalid-arguments approvers must be a whole number from 1 to 10, not 11")
                .contains("invalid-arguments title must be a text");
        assertThat(runs.approvals.size()).isZero();
    }

    @Test
    void crashesAroundAQuestionDoNotChangeTheAnswer() throws Exception {
        for (int before = 0; before < 4; before++) {
            for (int after = 0; after < 4; after++) {
                ExecutionId id = runs.submit("await b.again({ n: 1 }); " + QUESTION, Optional.empty());
                int asked = runs.approvals.size();
                runs.store.crashAfter(before);
                runs.runOnNewNode(id);
                runs.store.stopCrashing();
                if (runs.store.row(id).state != ExecutionState.WAITING) {
                    runs.store.recover(id);
                    assertThat(runs.runOnNewNode(id)).as(result(id)).isEqualTo(ExecutionState.WAITING);
                }
                assertThat(runs.approvals.size()).isEqualTo(asked + 1);
                approve();
                runs.store.crashAfter(after);
                if (!runs.runOnNewNode(id).isTerminal()) {
                    runs.store.stopCrashing();
                    runs.store.recover(id);
                    runs.runOnNewNode(id);
                }
                runs.store.stopCrashing();
                assertThat(runs.approvals.size()).as("asked once").isEqualTo(asked + 1);
                assertThat(result(id))
                        .as("deaths after " + before + " and " + after)
                        .isEqualTo("[true,\"APPROVED\",\"anna\",\"since I say so\",null]");
            }
        }
    }

    @Test
    void mockDecisionAnswersTheCallWithoutMakingIt() throws Exception {
        policy = (tool, arguments, situation) -> new PolicyDecision.MockDecision("pretend", new Json("42"));
        ExecutionId id = runs.submit("return await b.mail({})", Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("42");
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
        assertThat(kinds(id)).containsExactly("judged mock pretend");
    }
}
