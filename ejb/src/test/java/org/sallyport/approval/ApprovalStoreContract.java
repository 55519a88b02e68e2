package org.sallyport.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditFilter;
import org.sallyport.audit.AuditResult;
import org.sallyport.audit.AuditStore;
import org.sallyport.audit.RecordedAuditEntry;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.execution.Suspension;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.ReminderSchedule;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** Contract of {@link ApprovalStore}, for every implementation. */
public abstract class ApprovalStoreContract {
    private static final String TENANT = "tenant-a";
    private static final Json ARGUMENTS = new Json("{\"to\":\"a\\u0000b\"}");

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    protected abstract ApprovalStore approvals();

    protected abstract AuditStore audit();

    protected abstract ApprovalLinkStore links();

    private FencingToken runningFence() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private static ApprovalRequest request(FencingToken fence, long call, int approvers, Duration timeout) {
        return new ApprovalRequest(
                fence.id(),
                call,
                ApprovalKind.CALL,
                0,
                new ToolName("mail", "send"),
                ARGUMENTS,
                "mail",
                new ApprovalTerms(approvers, timeout, ApprovalTerms.ExpiryAction.DENY, "mail needs an approval"));
    }

    private static ApprovalRequest request(FencingToken fence) {
        return request(fence, 1, 1, Duration.ofHours(1));
    }

    private static ApprovalVote approveBy(String who) {
        return new ApprovalVote(who, true, false, Optional.empty(), Optional.empty(), "fine");
    }

    private static ApprovalVote denyBy(String who) {
        return new ApprovalVote(who, false, false, Optional.empty(), Optional.empty(), "not today");
    }

    private void park(FencingToken fence) {
        assertThat(journal()
                        .park(
                                fence,
                                JournalBatch.NONE,
                                SuspendRequest.until(Suspension.SuspensionReason.APPROVAL, Duration.ofHours(1))))
                .isEqualTo(SuspendRequest.SuspendResult.PARKED);
    }

    private ExecutionState state(ExecutionId id) {
        return store().find(TENANT, id).orElseThrow().state();
    }

    @Test
    void sameRequestCreatesOneApprovalAndKeepsItsContent() {
        FencingToken fence = runningFence();
        Approval first = approvals().requestApproval(request(fence));
        assertThat(approvals().requestApproval(request(fence))).isEqualTo(first);
        assertThat(first.request()).isEqualTo(request(fence));
        assertThat(first.state()).isEqualTo(ApprovalState.PENDING);
        assertThat(first.requester()).isEqualTo(anExecution().build().submitter());
        assertThat(Duration.between(first.createdAt(), first.expiresAt())).isEqualTo(Duration.ofHours(1));
        assertThat(approvals().find(TENANT, first.id())).contains(first);
        assertThat(approvals().find("tenant-b", first.id())).isEmpty();
    }

    @Test
    void approvalContextContainsTheIntentOfItsExecution() {
        NewExecution execution =
                anExecution().intent("reminds\u0000 those who owe").build();
        store().insert(execution);
        UUID withIntent = approvals()
                .requestApproval(request(
                        store().claim(execution.id(), "node.1").orElseThrow().fence()))
                .id();
        UUID untold = approvals().requestApproval(request(runningFence())).id();

        assertThat(approvals().findContexts(TENANT, List.of(withIntent, untold)))
                .containsOnly(
                        Map.entry(
                                withIntent,
                                new ApprovalContext(Optional.of("reminds\u0000 those who owe"), Optional.empty())),
                        Map.entry(untold, ApprovalContext.NONE));
        assertThat(approvals().findContexts(TENANT, List.of())).isEmpty();
        assertThat(approvals().findContexts("tenant-b", List.of(withIntent, untold)))
                .isEmpty();
    }

    @Test
    void pendingApprovalsAreListedPerExecution() {
        FencingToken fence = runningFence();
        Approval first = approvals().requestApproval(request(fence, 1, 1, Duration.ofHours(1)));
        Approval second = approvals().requestApproval(request(fence, 2, 1, Duration.ofHours(1)));
        Approval third = approvals().requestApproval(request(fence, 3, 1, Duration.ofHours(1)));
        approvals().requestApproval(request(runningFence()));
        approvals().vote(TENANT, second.id(), approveBy("anna"));

        assertThat(approvals().listPending(TENANT, fence.id(), Optional.empty(), 10))
                .containsExactly(first, third);
        assertThat(approvals().listPending(TENANT, fence.id(), Optional.empty(), 1))
                .containsExactly(first);
        assertThat(approvals().listPending(TENANT, fence.id(), Optional.of(first.id()), 10))
                .containsExactly(third);
        assertThat(approvals().listPending("tenant-b", fence.id(), Optional.empty(), 10))
                .isEmpty();
    }

    @Test
    void decisionIsMadeOnceAndResumesTheParkedExecution() {
        FencingToken fence = runningFence();
        UUID id = approvals().requestApproval(request(fence)).id();
        park(fence);
        assertThat(store().find(TENANT, fence.id()).orElseThrow().suspension())
                .hasValueSatisfying(pause -> assertThat(pause.reason()).isEqualTo("approval"));
        ApprovalVote edited = new ApprovalVote(
                "anna", true, false, Optional.of(new Json("{\"to\":\"c\"}")), Optional.empty(), "but to c");
        assertThat(approvals().vote(TENANT, id, edited))
                .isInstanceOfSatisfying(VoteResult.VoteDecided.class, decided -> {
                    assertThat(decided.approval().isGranted()).isTrue();
                    assertThat(decided.resumedJob()).hasValueSatisfying(job -> {
                        assertThat(job.id()).isEqualTo(fence.id());
                        assertThat(job.attempt()).isEqualTo(fence.attempt());
                    });
                });
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
        assertThat(approvals().vote(TENANT, id, denyBy("ben"))).isInstanceOf(VoteResult.VoteTooLate.class);
        Approval decided = approvals().requestApproval(request(fence));
        assertThat(decided.state()).isEqualTo(ApprovalState.APPROVED);
        assertThat(decided.decision()).hasValueSatisfying(decision -> {
            assertThat(decision.decidedBy()).isEqualTo("anna");
            assertThat(decision.note()).isEqualTo("but to c");
            assertThat(decision.editedArguments()).contains(new Json("{\"to\":\"c\"}"));
        });
    }

    @Test
    void voteOfAnotherTenantIsRefused() {
        FencingToken fence = runningFence();
        UUID id = approvals().requestApproval(request(fence)).id();
        assertThat(approvals().vote("tenant-b", id, approveBy("anna")))
                .isInstanceOf(VoteResult.VoteApprovalNotFound.class);
        assertThat(approvals().find(TENANT, id).orElseThrow().state()).isEqualTo(ApprovalState.PENDING);
        assertThat(approvals().list("tenant-b", true, Optional.empty(), 10)).isEmpty();
    }

    @Test
    void multipleApproversMustAgreeAndOneDenialDecides() {
        FencingToken fence = runningFence();
        UUID two = approvals()
                .requestApproval(request(fence, 1, 2, Duration.ofHours(1)))
                .id();
        assertThat(approvals().vote(TENANT, two, approveBy("anna"))).isInstanceOf(VoteResult.VoteCounted.class);
        assertThat(approvals().vote(TENANT, two, approveBy("anna"))).isInstanceOf(VoteResult.VoteTooLate.class);
        assertThat(approvals().find(TENANT, two).orElseThrow().voters()).containsExactly("anna");
        assertThat(approvals().vote(TENANT, two, approveBy("ben")))
                .isInstanceOfSatisfying(
                        VoteResult.VoteDecided.class,
                        decided -> assertThat(decided.approval().voters()).containsExactlyInAnyOrder("anna", "ben"));
        UUID other = approvals()
                .requestApproval(request(fence, 2, 2, Duration.ofHours(1)))
                .id();
        approvals().vote(TENANT, other, approveBy("anna"));
        assertThat(approvals().vote(TENANT, other, denyBy("ben")))
                .isInstanceOfSatisfying(
                        VoteResult.VoteDecided.class,
                        decided -> assertThat(decided.approval().isGranted()).isFalse());
    }

    @Test
    void decisionDuringParkingIsFoundByRunnerOrSweeper() {
        FencingToken one = runningFence();
        approvals().vote(TENANT, approvals().requestApproval(request(one)).id(), approveBy("anna"));
        park(one);
        assertThat(approvals().resumeIfDecided(one.id())).isTrue();
        assertThat(state(one.id())).isEqualTo(ExecutionState.PENDING);
        assertThat(approvals().resumeIfDecided(one.id())).isFalse();

        FencingToken two = runningFence();
        approvals().vote(TENANT, approvals().requestApproval(request(two)).id(), approveBy("anna"));
        park(two);
        assertThat(approvals().sweep(10))
                .singleElement()
                .satisfies(job -> assertThat(job.id()).isEqualTo(two.id()));
        assertThat(approvals().sweep(10)).isEmpty();
    }

    @Test
    void notifiedDecisionDoesNotResumeAgain() {
        FencingToken fence = runningFence();
        UUID first = approvals().requestApproval(request(fence)).id();
        approvals().vote(TENANT, first, approveBy("anna"));
        approvals().markNotified(first);
        approvals().requestApproval(request(fence, 2, 1, Duration.ofHours(1)));
        park(fence);
        assertThat(approvals().resumeIfDecided(fence.id())).isFalse();
        assertThat(approvals().sweep(10)).isEmpty();
        assertThat(state(fence.id())).isEqualTo(ExecutionState.WAITING);
    }

    @Test
    void undecidedApprovalExpiresAndResumesTheExecution() throws Exception {
        FencingToken fence = runningFence();
        UUID id = approvals()
                .requestApproval(request(fence, 1, 1, Duration.ofMillis(1)))
                .id();
        UUID later = approvals()
                .requestApproval(request(fence, 2, 1, Duration.ofHours(1)))
                .id();
        park(fence);
        long end = System.nanoTime() + 60_000_000_000L;
        while (approvals().sweep(10).isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
        assertThat(approvals().find(TENANT, id).orElseThrow().state()).isEqualTo(ApprovalState.EXPIRED);
        assertThat(approvals().find(TENANT, later).orElseThrow().state()).isEqualTo(ApprovalState.PENDING);
        assertThat(approvals().vote(TENANT, id, approveBy("anna"))).isInstanceOf(VoteResult.VoteTooLate.class);
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
    }

    private static ApprovalRequest requestWithExpiryValue(FencingToken fence, long call, Duration timeout, Json value) {
        ApprovalRequest asked = request(fence, call, 2, timeout);
        return new ApprovalRequest(
                fence.id(),
                call,
                asked.kind(),
                asked.round(),
                asked.tool(),
                asked.arguments(),
                asked.rule(),
                new ApprovalTerms(2, timeout, ApprovalTerms.ExpiryAction.value(value), ""));
    }

    @Test
    void fallbackValueIsStoredUnchangedAndAppliesOnlyAfterExpiry() throws Exception {
        FencingToken fence = runningFence();
        List<Json> values = List.of(
                new Json("{\"sent\":false,\"n\":1.50,\"who\":\"a\\u0000\ud800\"}"),
                Json.NULL,
                new Json("\"\""),
                new Json("\"" + "ä".repeat(100_000) + "\""));
        List<Approval> asked = IntStream.range(0, values.size())
                .mapToObj(call -> approvals()
                        .requestApproval(
                                requestWithExpiryValue(fence, call + 1, Duration.ofMillis(1), values.get(call))))
                .toList();
        Approval decided =
                approvals().requestApproval(requestWithExpiryValue(fence, 9, Duration.ofHours(1), Json.NULL));
        approvals().vote(TENANT, decided.id(), denyBy("anna"));
        approvals().vote(TENANT, asked.get(1).id(), approveBy("anna"));
        park(fence);
        assertThat(asked).allSatisfy(each -> assertThat(each.resultAtExpiry()).isEmpty());
        long end = System.nanoTime() + 60_000_000_000L;
        while (approvals().list(TENANT, true, Optional.empty(), 10).size() > 0) {
            approvals().sweep(10);
            assertThat(System.nanoTime()).isLessThan(end);
        }
        for (int call = 0; call < values.size(); call++) {
            Approval expired = reload(asked.get(call));
            assertThat(expired.state()).isEqualTo(ApprovalState.EXPIRED);
            assertThat(expired.isGranted()).isFalse();
            assertThat(expired.resultAtExpiry().map(Json::text).map(ApprovalStoreContract::read))
                    .contains(read(values.get(call).text()));
            // A repeated request for the same call, even with other terms, returns the first approval.
            assertThat(approvals().requestApproval(request(fence, call + 1, 1, Duration.ofHours(1))))
                    .isEqualTo(expired);
        }
        assertThat(reload(decided).state()).isEqualTo(ApprovalState.DENIED);
        assertThat(reload(decided).resultAtExpiry()).isEmpty();
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
    }

    @Test
    void oneOfConcurrentSweepsResumesEachExecution() throws Exception {
        Json value = new Json("{\"sent\":false}");
        List<FencingToken> parked =
                IntStream.range(0, 20).mapToObj(i -> runningFence()).toList();
        List<Approval> asked = parked.stream()
                .map(fence ->
                        approvals().requestApproval(requestWithExpiryValue(fence, 1, Duration.ofMillis(1), value)))
                .toList();
        parked.forEach(this::park);
        awaitDue(asked.get(19));
        List<ExecutionJob> woken = new ArrayList<>(
                ConcurrencyTestUtil.runConcurrently(8, i -> approvals().sweep(100)).stream()
                        .flatMap(List::stream)
                        .toList());
        woken.addAll(approvals().sweep(100));
        assertThat(woken)
                .extracting(ExecutionJob::id)
                .containsExactlyInAnyOrderElementsOf(
                        parked.stream().map(FencingToken::id).toList());
        assertThat(asked)
                .allSatisfy(each -> assertThat(reload(each).resultAtExpiry()).contains(value));
    }

    private static JsonNode read(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }

    @Test
    void rememberedApprovalIsNotRequestedAgainInItsExecution() {
        FencingToken fence = runningFence();
        UUID id = approvals().requestApproval(request(fence)).id();
        approvals().vote(TENANT, id, new ApprovalVote("anna", true, true, Optional.empty(), Optional.empty(), ""));
        assertThat(approvals()
                        .requestApproval(request(fence, 2, 1, Duration.ofHours(1)))
                        .isGranted())
                .isTrue();
        ApprovalRequest other = new ApprovalRequest(
                fence.id(),
                3,
                ApprovalKind.CALL,
                0,
                new ToolName("mail", "send"),
                new Json("{}"),
                "mail",
                request(fence).terms());
        assertThat(approvals().requestApproval(other).state()).isEqualTo(ApprovalState.PENDING);
        assertThat(approvals().requestApproval(request(runningFence())).state()).isEqualTo(ApprovalState.PENDING);
    }

    @Test
    void openApprovalsExcludeEndedExecutionsAndAreNewestFirst() {
        FencingToken ended = runningFence();
        UUID endedApproval = approvals().requestApproval(request(ended)).id();
        journal().finish(ended, new ExecutionOutcome.ExecutionCancelled(), JournalBatch.NONE);
        UUID first = approvals().requestApproval(request(runningFence())).id();
        UUID second = approvals().requestApproval(request(runningFence())).id();
        assertThat(approvals().list(TENANT, true, Optional.empty(), 10))
                .extracting(Approval::id)
                .containsExactly(second, first);
        assertThat(approvals().list(TENANT, true, Optional.of(second), 10))
                .extracting(Approval::id)
                .containsExactly(first);
        assertThat(approvals().list(TENANT, false, Optional.empty(), 10))
                .extracting(Approval::id)
                .containsExactly(second, first, endedApproval);
        assertThat(approvals().vote(TENANT, endedApproval, approveBy("anna")))
                .isInstanceOf(VoteResult.VoteExecutionEnded.class);
    }

    @Test
    void oneOfConcurrentVotesDecides() throws Exception {
        FencingToken fence = runningFence();
        UUID id = approvals().requestApproval(request(fence)).id();
        park(fence);
        List<VoteResult> tallies = ConcurrencyTestUtil.runConcurrently(
                8, i -> approvals().vote(TENANT, id, i % 2 == 0 ? approveBy("a" + i) : denyBy("b" + i)));
        assertThat(tallies).filteredOn(VoteResult.VoteDecided.class::isInstance).hasSize(1);
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
    }

    @Test
    void concurrentRequestsReturnTheSameApproval() throws Exception {
        FencingToken fence = runningFence();
        List<Approval> asked =
                ConcurrencyTestUtil.runConcurrently(8, i -> approvals().requestApproval(request(fence)));
        assertThat(asked).extracting(Approval::id).containsOnly(asked.get(0).id());
    }

    /** A request whose first reminder is due immediately; the others follow at the given interval. */
    private static ApprovalRequest requestWithReminders(FencingToken fence, Duration every, int times) {
        return requestWithReminders(fence, 1, every, times);
    }

    private static ApprovalRequest requestWithReminders(FencingToken fence, long call, Duration every, int times) {
        Duration timeout = Duration.ofHours(1);
        return new ApprovalRequest(
                fence.id(),
                call,
                ApprovalKind.CALL,
                0,
                new ToolName("mail", "send"),
                ARGUMENTS,
                "mail",
                new ApprovalTerms(
                        2,
                        timeout,
                        ApprovalTerms.ExpiryAction.DENY,
                        "mail needs an approval",
                        new ReminderSchedule(timeout.minusMillis(1), every, times)));
    }

    private Approval reload(Approval approval) {
        return approvals().find(TENANT, approval.id()).orElseThrow();
    }

    /** Records due reminders until the given number was recorded. */
    private void remind(int reminders) {
        long end = System.nanoTime() + 60_000_000_000L;
        int sum = 0;
        while (sum < reminders) {
            sum += approvals().recordDueReminders(100);
            assertThat(System.nanoTime()).isLessThan(end);
        }
        assertThat(sum).isEqualTo(reminders);
    }

    private List<RecordedAuditEntry> reminderAuditEntries() {
        return audit().list(
                        TENANT,
                        new AuditFilter(
                                Optional.empty(), Optional.of("approval.remind"), Optional.empty(), Optional.empty()),
                        Optional.empty(),
                        100);
    }

    @Test
    void dueReminderIsRecordedOnceAndAudited() {
        Approval asked = approvals().requestApproval(requestWithReminders(runningFence(), Duration.ofMinutes(20), 2));
        Instant first = asked.expiresAt().minus(Duration.ofHours(1).minusMillis(1));
        assertThat(asked.reminderStatus())
                .isEqualTo(new Approval.ReminderStatus(0, Optional.empty(), Optional.of(first)));
        approvals().vote(TENANT, asked.id(), approveBy("anna"));

        remind(1);

        assertThat(approvals().recordDueReminders(100)).isZero();
        Approval reminded = reload(asked);
        assertThat(reminded.request()).isEqualTo(asked.request());
        assertThat(reminded.voters()).containsExactly("anna");
        assertThat(reminded.reminderStatus().count()).isEqualTo(1);
        assertThat(reminded.reminderStatus().nextAt()).contains(first.plus(Duration.ofMinutes(20)));
        assertThat(reminded.reminderStatus().lastAt())
                .hasValueSatisfying(last -> assertThat(last).isAfterOrEqualTo(first));
        assertThat(reminderAuditEntries()).singleElement().satisfies(record -> {
            assertThat(record.entry().object()).isEqualTo(asked.id().toString());
            assertThat(record.entry().channel()).isEqualTo(AuditEntry.AuditChannel.SERVICE);
            assertThat(record.entry().actor()).isEmpty();
            assertThat(record.result()).map(AuditResult::outcome).contains(AuditResult.AuditOutcome.DONE);
        });
    }

    @Test
    void missedReminderTimesCauseOneReminder() {
        Approval asked = approvals().requestApproval(requestWithReminders(runningFence(), Duration.ofMillis(1), 10));
        while (!Instant.now().isAfter(asked.createdAt().plusMillis(100))) {
            Thread.onSpinWait();
        }
        remind(1);
        assertThat(reload(asked).reminderStatus().count()).isEqualTo(1);
        assertThat(reload(asked).reminderStatus().nextAt()).isEmpty();
        assertThat(approvals().recordDueReminders(100)).isZero();
    }

    @Test
    void decidedOrEndedApprovalCausesNoReminder() {
        Approval decided = approvals().requestApproval(requestWithReminders(runningFence(), Duration.ofMinutes(20), 2));
        approvals().vote(TENANT, decided.id(), denyBy("anna"));
        FencingToken ended = runningFence();
        Approval endedApproval = approvals().requestApproval(requestWithReminders(ended, Duration.ofMinutes(20), 2));
        journal().finish(ended, new ExecutionOutcome.ExecutionCancelled(), JournalBatch.NONE);
        Approval later = approvals().requestApproval(request(runningFence()));
        Approval due = approvals().requestApproval(requestWithReminders(runningFence(), Duration.ofMinutes(20), 2));

        remind(1);

        assertThat(reload(due).reminderStatus().count()).isEqualTo(1);
        assertThat(reload(decided).reminderStatus()).isEqualTo(Approval.ReminderStatus.NONE);
        assertThat(reload(endedApproval).reminderStatus()).isEqualTo(Approval.ReminderStatus.NONE);
        assertThat(reload(later).reminderStatus()).isEqualTo(Approval.ReminderStatus.NONE);
        approvals().vote(TENANT, due.id(), denyBy("anna"));
        assertThat(reload(due).reminderStatus().nextAt()).isEmpty();
    }

    @Test
    void obsoleteRemindersCountTowardsTheBatchLimit() {
        int many = 50;
        FencingToken ended = runningFence();
        List<Approval> endedApprovals = IntStream.rangeClosed(1, many)
                .mapToObj(call ->
                        approvals().requestApproval(requestWithReminders(ended, call, Duration.ofMinutes(20), 2)))
                .toList();
        journal().finish(ended, new ExecutionOutcome.ExecutionCancelled(), JournalBatch.NONE);
        awaitDue(endedApprovals.get(many - 1));
        Approval due = approvals().requestApproval(requestWithReminders(runningFence(), Duration.ofMinutes(20), 2));
        awaitDue(due);

        assertThat(approvals().recordDueReminders(many)).isZero();
        assertThat(reload(due).reminderStatus().count()).isZero();
        assertThat(approvals().recordDueReminders(many)).isEqualTo(1);
        assertThat(reload(due).reminderStatus().count()).isEqualTo(1);
    }

    private static void awaitDue(Approval asked) {
        Instant due = asked.createdAt().plusMillis(5);
        while (!Instant.now().isAfter(due)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void oneOfConcurrentNodesRecordsEachReminder() throws Exception {
        List<Approval> asked = IntStream.range(0, 20)
                .mapToObj(i ->
                        approvals().requestApproval(requestWithReminders(runningFence(), Duration.ofMinutes(20), 2)))
                .toList();
        awaitDue(asked.get(19));
        int together = ConcurrencyTestUtil.runConcurrently(8, i -> approvals().recordDueReminders(100)).stream()
                .mapToInt(Integer::intValue)
                .sum();
        assertThat(together + approvals().recordDueReminders(100)).isEqualTo(20);
        assertThat(asked)
                .allSatisfy(each ->
                        assertThat(reload(each).reminderStatus().count()).isEqualTo(1));
        assertThat(reminderAuditEntries())
                .extracting(record -> record.entry().object())
                .containsExactlyInAnyOrderElementsOf(
                        asked.stream().map(each -> each.id().toString()).toList());
    }

    private ApprovalLink link(Approval approval, String maker, Duration validity) {
        ApprovalLink link = new ApprovalLink(
                UUID.randomUUID(),
                TENANT,
                approval.id(),
                "5ea1".repeat(16),
                new ApprovalLink.LinkCreator(
                        maker, Optional.of(new ApprovalLink.ExternalIdentity("https://id.example", "a\u00e4"))),
                Instant.now().plus(validity).truncatedTo(ChronoUnit.MILLIS),
                false);
        assertThat(links().add(link, 100, 100)).isTrue();
        return link;
    }

    private boolean isUsed(ApprovalLink link) {
        return links().find(link.id()).orElseThrow().used();
    }

    @Test
    void linkRoundTripsAndIsRevokedOnlyByItsTenant() {
        Approval asked = approvals().requestApproval(request(runningFence()));
        ApprovalLink link = link(asked, "anna", Duration.ofHours(1));
        assertThat(links().find(link.id())).contains(link);
        assertThat(links().find(UUID.randomUUID())).isEmpty();
        assertThat(links().remove("tenant-b", asked.id(), link.id())).isFalse();
        assertThat(links().remove(TENANT, UUID.randomUUID(), link.id())).isFalse();
        assertThat(links().remove(TENANT, asked.id(), link.id())).isTrue();
        assertThat(links().find(link.id())).isEmpty();
        assertThat(approvals().vote(TENANT, asked.id(), approveBy("anna").withLink(link.id())))
                .isInstanceOf(VoteResult.VoteLinkInvalid.class);
        assertThat(reload(asked).state()).isEqualTo(ApprovalState.PENDING);
    }

    @Test
    void linkVotesOnceForItsApprovalAndCreatorBeforeItExpires() {
        FencingToken fence = runningFence();
        Approval asked = approvals().requestApproval(request(fence, 1, 3, Duration.ofHours(1)));
        Approval other = approvals().requestApproval(request(fence, 2, 3, Duration.ofHours(1)));
        ApprovalLink link = link(asked, "anna", Duration.ofHours(1));
        ApprovalLink late = link(asked, "carl", Duration.ofHours(-1));

        assertThat(approvals().vote(TENANT, other.id(), approveBy("anna").withLink(link.id())))
                .isInstanceOf(VoteResult.VoteLinkInvalid.class);
        assertThat(approvals().vote(TENANT, asked.id(), approveBy("ben").withLink(link.id())))
                .isInstanceOf(VoteResult.VoteLinkInvalid.class);
        assertThat(approvals().vote(TENANT, asked.id(), approveBy("carl").withLink(late.id())))
                .isInstanceOf(VoteResult.VoteLinkInvalid.class);
        assertThat(isUsed(link)).isFalse();
        assertThat(reload(asked).voters()).isEmpty();

        assertThat(approvals().vote(TENANT, asked.id(), approveBy("anna").withLink(link.id())))
                .isInstanceOf(VoteResult.VoteCounted.class);
        assertThat(isUsed(link)).isTrue();
        assertThat(approvals().vote(TENANT, asked.id(), denyBy("anna").withLink(link.id())))
                .isInstanceOf(VoteResult.VoteLinkUsed.class);
        assertThat(reload(asked).state()).isEqualTo(ApprovalState.PENDING);
        ApprovalLink second = link(asked, "anna", Duration.ofHours(1));
        assertThat(approvals().vote(TENANT, asked.id(), approveBy("anna").withLink(second.id())))
                .isInstanceOf(VoteResult.VoteTooLate.class);
        assertThat(reload(asked).voters()).containsExactly("anna");
        assertThat(reload(other).voters()).isEmpty();
    }

    @Test
    void oneOfConcurrentUsesOfALinkCounts() throws Exception {
        Approval asked = approvals().requestApproval(request(runningFence(), 1, 20, Duration.ofHours(1)));
        ApprovalLink link = link(asked, "anna", Duration.ofHours(1));
        List<VoteResult> tallies = ConcurrencyTestUtil.runConcurrently(
                8, i -> approvals().vote(TENANT, asked.id(), approveBy("anna").withLink(link.id())));
        assertThat(tallies).filteredOn(VoteResult.VoteCounted.class::isInstance).hasSize(1);
        assertThat(tallies)
                .filteredOn(VoteResult.VoteLinkUsed.class::isInstance)
                .hasSize(7);
        assertThat(reload(asked).voters()).containsExactly("anna");
    }

    @Test
    void decidingLinkIsReportedAsUsedAfterwards() {
        Approval asked = approvals().requestApproval(request(runningFence()));
        ApprovalLink link = link(asked, "anna", Duration.ofHours(1));
        ApprovalLink other = link(asked, "ben", Duration.ofHours(1));
        assertThat(approvals().vote(TENANT, asked.id(), approveBy("anna").withLink(link.id())))
                .isInstanceOf(VoteResult.VoteDecided.class);
        assertThat(approvals().vote(TENANT, asked.id(), denyBy("anna").withLink(link.id())))
                .isInstanceOf(VoteResult.VoteLinkUsed.class);
        assertThat(approvals().vote(TENANT, asked.id(), denyBy("ben").withLink(other.id())))
                .isInstanceOf(VoteResult.VoteTooLate.class);
        assertThat(isUsed(other)).isFalse();
    }

    @Test
    void activeLinksPerApprovalAreLimited() {
        Approval asked = approvals().requestApproval(request(runningFence(), 1, 3, Duration.ofHours(1)));
        link(asked, "anna", Duration.ofHours(-1));
        ApprovalLink first = link(asked, "anna", Duration.ofHours(1));
        ApprovalLink second =
                new ApprovalLink(UUID.randomUUID(), TENANT, asked.id(), "", first.creator(), first.expiresAt(), false);
        assertThat(links().add(second, 1, 5)).isFalse();
        ApprovalLink another = new ApprovalLink(
                UUID.randomUUID(),
                TENANT,
                asked.id(),
                "",
                new ApprovalLink.LinkCreator("ben", Optional.empty()),
                first.expiresAt(),
                false);
        assertThat(links().add(another, 1, 1)).isFalse();
        assertThat(links().add(another, 1, 2)).isTrue();
        approvals().vote(TENANT, asked.id(), approveBy("anna").withLink(first.id()));
        assertThat(links().add(second, 1, 2)).isTrue();
    }

    @Test
    void linksThatExpiredADayAgoArePurged() {
        Approval asked = approvals().requestApproval(request(runningFence(), 1, 3, Duration.ofHours(1)));
        Approval other = approvals().requestApproval(request(runningFence()));
        ApprovalLink elsewhere = link(other, "anna", Duration.ofHours(-25));
        ApprovalLink old = link(asked, "anna", Duration.ofHours(-25));
        ApprovalLink late = link(asked, "anna", Duration.ofHours(-23));
        ApprovalLink counts = link(asked, "anna", Duration.ofHours(1));
        assertThat(links().find(old.id())).isEmpty();
        assertThat(links().find(late.id())).isPresent();
        assertThat(links().find(counts.id())).isPresent();
        assertThat(links().find(elsewhere.id())).isPresent();
    }
}
