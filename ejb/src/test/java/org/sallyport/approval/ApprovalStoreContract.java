package org.sallyport.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

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
import org.sallyport.audit.AuditRecord;
import org.sallyport.audit.AuditResult;
import org.sallyport.audit.AuditStore;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Parking;
import org.sallyport.execution.Pause;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.Together;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.policy.Reminders;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** What every store of approvals must do. */
public abstract class ApprovalStoreContract {
    private static final String TENANT = "tenant-a";
    private static final Json ARGUMENTS = new Json("{\"to\":\"a\\u0000b\"}");

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    protected abstract ApprovalStore approvals();

    protected abstract AuditStore audit();

    protected abstract ApprovalLinkStore links();

    private Fence running() {
        NewExecution execution = anExecution().build();
        store().accept(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private static Question question(Fence fence, long call, int approvers, Duration patience) {
        return new Question(
                fence.id(),
                call,
                ApprovalKind.CALL,
                0,
                new ToolName("mail", "send"),
                ARGUMENTS,
                "mail",
                new Terms(approvers, patience, Terms.AtExpiry.DENY, "mail leaves the house"));
    }

    private static Question question(Fence fence) {
        return question(fence, 1, 1, Duration.ofHours(1));
    }

    private static Ballot yes(String who) {
        return new Ballot(who, true, false, Optional.empty(), Optional.empty(), "fine");
    }

    private static Ballot no(String who) {
        return new Ballot(who, false, false, Optional.empty(), Optional.empty(), "not today");
    }

    private void park(Fence fence) {
        assertThat(journal().park(fence, Entries.NONE, Parking.until(Pause.Reason.APPROVAL, Duration.ofHours(1))))
                .isEqualTo(Parking.Answer.PARKED);
    }

    private ExecutionState state(ExecutionId id) {
        return store().find(TENANT, id).orElseThrow().state();
    }

    @Test
    void theSameQuestionIsAskedOnceAndKeepsAllThatWasAsked() {
        Fence fence = running();
        Approval first = approvals().ask(question(fence));
        assertThat(approvals().ask(question(fence))).isEqualTo(first);
        assertThat(first.question()).isEqualTo(question(fence));
        assertThat(first.state()).isEqualTo(ApprovalState.PENDING);
        assertThat(first.requester()).isEqualTo(anExecution().build().submitter());
        assertThat(Duration.between(first.createdAt(), first.expiresAt())).isEqualTo(Duration.ofHours(1));
        assertThat(approvals().find(TENANT, first.id())).contains(first);
        assertThat(approvals().find("tenant-b", first.id())).isEmpty();
    }

    @Test
    void whyItsExecutionRunsIsKnownBesideAQuestion() {
        NewExecution execution =
                anExecution().intent("reminds\u0000 those who owe").build();
        store().accept(execution);
        UUID told = approvals()
                .ask(question(
                        store().claim(execution.id(), "node.1").orElseThrow().fence()))
                .id();
        UUID untold = approvals().ask(question(running())).id();

        assertThat(approvals().backgrounds(TENANT, List.of(told, untold)))
                .containsOnly(
                        Map.entry(told, new Background(Optional.of("reminds\u0000 those who owe"), Optional.empty())),
                        Map.entry(untold, Background.NONE));
        assertThat(approvals().backgrounds(TENANT, List.of())).isEmpty();
        assertThat(approvals().backgrounds("tenant-b", List.of(told, untold))).isEmpty();
    }

    @Test
    void whatWaitsOfOneExecutionIsFoundWithoutTheOthers() {
        Fence fence = running();
        Approval first = approvals().ask(question(fence, 1, 1, Duration.ofHours(1)));
        Approval second = approvals().ask(question(fence, 2, 1, Duration.ofHours(1)));
        Approval third = approvals().ask(question(fence, 3, 1, Duration.ofHours(1)));
        approvals().ask(question(running()));
        approvals().vote(TENANT, second.id(), yes("anna"));

        assertThat(approvals().pending(TENANT, fence.id(), 10)).containsExactly(first, third);
        assertThat(approvals().pending(TENANT, fence.id(), 1)).containsExactly(first);
        assertThat(approvals().pending("tenant-b", fence.id(), 10)).isEmpty();
    }

    @Test
    void aDecisionIsMadeOnceAndWakesWhatIsParkedForIt() {
        Fence fence = running();
        UUID id = approvals().ask(question(fence)).id();
        park(fence);
        assertThat(store().find(TENANT, fence.id()).orElseThrow().pause())
                .hasValueSatisfying(pause -> assertThat(pause.reason()).isEqualTo("approval"));
        Ballot edited =
                new Ballot("anna", true, false, Optional.of(new Json("{\"to\":\"c\"}")), Optional.empty(), "but to c");
        assertThat(approvals().vote(TENANT, id, edited)).isInstanceOfSatisfying(Tally.Decided.class, decided -> {
            assertThat(decided.approval().granted()).isTrue();
            assertThat(decided.woken()).hasValueSatisfying(job -> {
                assertThat(job.id()).isEqualTo(fence.id());
                assertThat(job.attempt()).isEqualTo(fence.attempt());
            });
        });
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
        assertThat(approvals().vote(TENANT, id, no("ben"))).isInstanceOf(Tally.TooLate.class);
        Approval decided = approvals().ask(question(fence));
        assertThat(decided.state()).isEqualTo(ApprovalState.APPROVED);
        assertThat(decided.decision()).hasValueSatisfying(made -> {
            assertThat(made.by()).isEqualTo("anna");
            assertThat(made.note()).isEqualTo("but to c");
            assertThat(made.edited()).contains(new Json("{\"to\":\"c\"}"));
        });
    }

    @Test
    void noOfAnotherTenantIsHeard() {
        Fence fence = running();
        UUID id = approvals().ask(question(fence)).id();
        assertThat(approvals().vote("tenant-b", id, yes("anna"))).isInstanceOf(Tally.NotFound.class);
        assertThat(approvals().find(TENANT, id).orElseThrow().state()).isEqualTo(ApprovalState.PENDING);
        assertThat(approvals().list("tenant-b", true, Optional.empty(), 10)).isEmpty();
    }

    @Test
    void severalMustSayYesEachOnceAndOneNoIsEnough() {
        Fence fence = running();
        UUID two = approvals().ask(question(fence, 1, 2, Duration.ofHours(1))).id();
        assertThat(approvals().vote(TENANT, two, yes("anna"))).isInstanceOf(Tally.Counted.class);
        assertThat(approvals().vote(TENANT, two, yes("anna"))).isInstanceOf(Tally.TooLate.class);
        assertThat(approvals().find(TENANT, two).orElseThrow().voters()).containsExactly("anna");
        assertThat(approvals().vote(TENANT, two, yes("ben")))
                .isInstanceOfSatisfying(
                        Tally.Decided.class,
                        decided -> assertThat(decided.approval().voters()).containsExactlyInAnyOrder("anna", "ben"));
        UUID other = approvals().ask(question(fence, 2, 2, Duration.ofHours(1))).id();
        approvals().vote(TENANT, other, yes("anna"));
        assertThat(approvals().vote(TENANT, other, no("ben")))
                .isInstanceOfSatisfying(
                        Tally.Decided.class,
                        decided -> assertThat(decided.approval().granted()).isFalse());
    }

    @Test
    void whatWasDecidedWhileItWasBeingParkedIsFoundByTheRunnerOrTheSweeper() {
        Fence one = running();
        approvals().vote(TENANT, approvals().ask(question(one)).id(), yes("anna"));
        park(one);
        assertThat(approvals().wake(one.id())).isTrue();
        assertThat(state(one.id())).isEqualTo(ExecutionState.PENDING);
        assertThat(approvals().wake(one.id())).isFalse();

        Fence two = running();
        approvals().vote(TENANT, approvals().ask(question(two)).id(), yes("anna"));
        park(two);
        assertThat(approvals().sweep(10))
                .singleElement()
                .satisfies(job -> assertThat(job.id()).isEqualTo(two.id()));
        assertThat(approvals().sweep(10)).isEmpty();
    }

    @Test
    void aDecisionThatWasHeardWakesNobodyAgain() {
        Fence fence = running();
        UUID first = approvals().ask(question(fence)).id();
        approvals().vote(TENANT, first, yes("anna"));
        approvals().heard(first);
        approvals().ask(question(fence, 2, 1, Duration.ofHours(1)));
        park(fence);
        assertThat(approvals().wake(fence.id())).isFalse();
        assertThat(approvals().sweep(10)).isEmpty();
        assertThat(state(fence.id())).isEqualTo(ExecutionState.WAITING);
    }

    @Test
    void whatNobodyDecidesExpiresAndWakes() throws Exception {
        Fence fence = running();
        UUID id = approvals().ask(question(fence, 1, 1, Duration.ofMillis(1))).id();
        UUID later = approvals().ask(question(fence, 2, 1, Duration.ofHours(1))).id();
        park(fence);
        long end = System.nanoTime() + 60_000_000_000L;
        while (approvals().sweep(10).isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
        assertThat(approvals().find(TENANT, id).orElseThrow().state()).isEqualTo(ApprovalState.EXPIRED);
        assertThat(approvals().find(TENANT, later).orElseThrow().state()).isEqualTo(ApprovalState.PENDING);
        assertThat(approvals().vote(TENANT, id, yes("anna"))).isInstanceOf(Tally.TooLate.class);
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
    }

    private static Question answered(Fence fence, long call, Duration patience, Json value) {
        Question asked = question(fence, call, 2, patience);
        return new Question(
                fence.id(),
                call,
                asked.kind(),
                asked.round(),
                asked.tool(),
                asked.arguments(),
                asked.rule(),
                new Terms(2, patience, Terms.AtExpiry.value(value), ""));
    }

    @Test
    void whatACallIsAnsweredAtTheDeadlineIsKeptAsItWasAskedAndHoldsOnceTheTimeHasDecided() throws Exception {
        Fence fence = running();
        List<Json> values = List.of(
                new Json("{\"sent\":false,\"n\":1.50,\"who\":\"a\\u0000\ud800\"}"),
                Json.NULL,
                new Json("\"\""),
                new Json("\"" + "ä".repeat(100_000) + "\""));
        List<Approval> asked = IntStream.range(0, values.size())
                .mapToObj(call -> approvals().ask(answered(fence, call + 1, Duration.ofMillis(1), values.get(call))))
                .toList();
        Approval decided = approvals().ask(answered(fence, 9, Duration.ofHours(1), Json.NULL));
        approvals().vote(TENANT, decided.id(), no("anna"));
        approvals().vote(TENANT, asked.get(1).id(), yes("anna"));
        park(fence);
        assertThat(asked).allSatisfy(each -> assertThat(each.answer()).isEmpty());
        long end = System.nanoTime() + 60_000_000_000L;
        while (approvals().list(TENANT, true, Optional.empty(), 10).size() > 0) {
            approvals().sweep(10);
            assertThat(System.nanoTime()).isLessThan(end);
        }
        for (int call = 0; call < values.size(); call++) {
            Approval over = found(asked.get(call));
            assertThat(over.state()).isEqualTo(ApprovalState.EXPIRED);
            assertThat(over.granted()).isFalse();
            assertThat(over.answer().map(Json::text).map(ApprovalStoreContract::read))
                    .contains(read(values.get(call).text()));
            // Whoever asks the same again, by other rules perhaps, is told what was asked first.
            assertThat(approvals().ask(question(fence, call + 1, 1, Duration.ofHours(1))))
                    .isEqualTo(over);
        }
        assertThat(found(decided).state()).isEqualTo(ApprovalState.DENIED);
        assertThat(found(decided).answer()).isEmpty();
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
    }

    @Test
    void ofManyNodesThatSweepAtOnceEachExecutionIsWokenByOne() throws Exception {
        Json value = new Json("{\"sent\":false}");
        List<Fence> parked = IntStream.range(0, 20).mapToObj(i -> running()).toList();
        List<Approval> asked = parked.stream()
                .map(fence -> approvals().ask(answered(fence, 1, Duration.ofMillis(1), value)))
                .toList();
        parked.forEach(this::park);
        awaitDue(asked.get(19));
        List<PendingJob> woken =
                new ArrayList<>(Together.run(8, i -> approvals().sweep(100)).stream()
                        .flatMap(List::stream)
                        .toList());
        woken.addAll(approvals().sweep(100));
        assertThat(woken)
                .extracting(PendingJob::id)
                .containsExactlyInAnyOrderElementsOf(
                        parked.stream().map(Fence::id).toList());
        assertThat(asked).allSatisfy(each -> assertThat(found(each).answer()).contains(value));
    }

    private static JsonNode read(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }

    @Test
    void theSameIsNotAskedAgainInAnExecutionForWhichItWasApproved() {
        Fence fence = running();
        UUID id = approvals().ask(question(fence)).id();
        approvals().vote(TENANT, id, new Ballot("anna", true, true, Optional.empty(), Optional.empty(), ""));
        assertThat(approvals().ask(question(fence, 2, 1, Duration.ofHours(1))).granted())
                .isTrue();
        Question other = new Question(
                fence.id(),
                3,
                ApprovalKind.CALL,
                0,
                new ToolName("mail", "send"),
                new Json("{}"),
                "mail",
                question(fence).terms());
        assertThat(approvals().ask(other).state()).isEqualTo(ApprovalState.PENDING);
        assertThat(approvals().ask(question(running())).state()).isEqualTo(ApprovalState.PENDING);
    }

    @Test
    void openAreThoseOfExecutionsThatHaveNotEndedNewestFirst() {
        Fence ended = running();
        UUID over = approvals().ask(question(ended)).id();
        journal().finish(ended, new Outcome.Cancelled(), Entries.NONE);
        UUID first = approvals().ask(question(running())).id();
        UUID second = approvals().ask(question(running())).id();
        assertThat(approvals().list(TENANT, true, Optional.empty(), 10))
                .extracting(Approval::id)
                .containsExactly(second, first);
        assertThat(approvals().list(TENANT, true, Optional.of(second), 10))
                .extracting(Approval::id)
                .containsExactly(first);
        assertThat(approvals().list(TENANT, false, Optional.empty(), 10))
                .extracting(Approval::id)
                .containsExactly(second, first, over);
        assertThat(approvals().vote(TENANT, over, yes("anna"))).isInstanceOf(Tally.Over.class);
    }

    @Test
    void ofManyWhoDecideAtOnceOneDoes() throws Exception {
        Fence fence = running();
        UUID id = approvals().ask(question(fence)).id();
        park(fence);
        List<Tally> tallies =
                Together.run(8, i -> approvals().vote(TENANT, id, i % 2 == 0 ? yes("a" + i) : no("b" + i)));
        assertThat(tallies).filteredOn(Tally.Decided.class::isInstance).hasSize(1);
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
    }

    @Test
    void whoeverAsksTheSameAtOnceGetsTheSame() throws Exception {
        Fence fence = running();
        List<Approval> asked = Together.run(8, i -> approvals().ask(question(fence)));
        assertThat(asked).extracting(Approval::id).containsOnly(asked.get(0).id());
    }

    /** To be reminded of at once, and then again. */
    private static Question urgent(Fence fence, Duration every, int times) {
        return urgent(fence, 1, every, times);
    }

    private static Question urgent(Fence fence, long call, Duration every, int times) {
        Duration patience = Duration.ofHours(1);
        return new Question(
                fence.id(),
                call,
                ApprovalKind.CALL,
                0,
                new ToolName("mail", "send"),
                ARGUMENTS,
                "mail",
                new Terms(
                        2,
                        patience,
                        Terms.AtExpiry.DENY,
                        "mail leaves the house",
                        new Reminders(patience.minusMillis(1), every, times)));
    }

    private Approval found(Approval approval) {
        return approvals().find(TENANT, approval.id()).orElseThrow();
    }

    /** Looks until there were so many reminders. */
    private void remind(int reminders) {
        long end = System.nanoTime() + 60_000_000_000L;
        int sum = 0;
        while (sum < reminders) {
            sum += approvals().remind(100);
            assertThat(System.nanoTime()).isLessThan(end);
        }
        assertThat(sum).isEqualTo(reminders);
    }

    private List<AuditRecord> entered() {
        return audit().list(
                        TENANT,
                        new AuditFilter(
                                Optional.empty(), Optional.of("approval.remind"), Optional.empty(), Optional.empty()),
                        Optional.empty(),
                        100);
    }

    @Test
    void peopleAreRemindedOnceWhenItIsTimeAndTheLogSaysSo() {
        Approval asked = approvals().ask(urgent(running(), Duration.ofMinutes(20), 2));
        Instant first = asked.expiresAt().minus(Duration.ofHours(1).minusMillis(1));
        assertThat(asked.reminded()).isEqualTo(new Approval.Reminded(0, Optional.empty(), Optional.of(first)));
        approvals().vote(TENANT, asked.id(), yes("anna"));

        remind(1);

        assertThat(approvals().remind(100)).isZero();
        Approval reminded = found(asked);
        assertThat(reminded.question()).isEqualTo(asked.question());
        assertThat(reminded.voters()).containsExactly("anna");
        assertThat(reminded.reminded().times()).isEqualTo(1);
        assertThat(reminded.reminded().next()).contains(first.plus(Duration.ofMinutes(20)));
        assertThat(reminded.reminded().last())
                .hasValueSatisfying(last -> assertThat(last).isAfterOrEqualTo(first));
        assertThat(entered()).singleElement().satisfies(record -> {
            assertThat(record.entry().object()).isEqualTo(asked.id().toString());
            assertThat(record.entry().door()).isEqualTo(AuditEntry.Door.SERVICE);
            assertThat(record.entry().actor()).isEmpty();
            assertThat(record.result()).map(AuditResult::kind).contains(AuditResult.Kind.DONE);
        });
    }

    @Test
    void ofTimesThatPassedWhileNobodyLookedThereIsOneReminder() {
        Approval asked = approvals().ask(urgent(running(), Duration.ofMillis(1), 10));
        while (!Instant.now().isAfter(asked.createdAt().plusMillis(100))) {
            Thread.onSpinWait();
        }
        remind(1);
        assertThat(found(asked).reminded().times()).isEqualTo(1);
        assertThat(found(asked).reminded().next()).isEmpty();
        assertThat(approvals().remind(100)).isZero();
    }

    @Test
    void whatIsDecidedOrOverRemindsNobody() {
        Approval decided = approvals().ask(urgent(running(), Duration.ofMinutes(20), 2));
        approvals().vote(TENANT, decided.id(), no("anna"));
        Fence ended = running();
        Approval over = approvals().ask(urgent(ended, Duration.ofMinutes(20), 2));
        journal().finish(ended, new Outcome.Cancelled(), Entries.NONE);
        Approval later = approvals().ask(question(running()));
        Approval due = approvals().ask(urgent(running(), Duration.ofMinutes(20), 2));

        remind(1);

        assertThat(found(due).reminded().times()).isEqualTo(1);
        assertThat(found(decided).reminded()).isEqualTo(Approval.Reminded.NEVER);
        assertThat(found(over).reminded()).isEqualTo(Approval.Reminded.NEVER);
        assertThat(found(later).reminded()).isEqualTo(Approval.Reminded.NEVER);
        approvals().vote(TENANT, due.id(), no("anna"));
        assertThat(found(due).reminded().next()).isEmpty();
    }

    @Test
    void whatRemindsNobodyAnyMoreIsAlsoLookedAtNoOftenerThanAsked() {
        int many = 50;
        Fence ended = running();
        List<Approval> over = IntStream.rangeClosed(1, many)
                .mapToObj(call -> approvals().ask(urgent(ended, call, Duration.ofMinutes(20), 2)))
                .toList();
        journal().finish(ended, new Outcome.Cancelled(), Entries.NONE);
        awaitDue(over.get(many - 1));
        Approval due = approvals().ask(urgent(running(), Duration.ofMinutes(20), 2));
        awaitDue(due);

        assertThat(approvals().remind(many)).isZero();
        assertThat(found(due).reminded().times()).isZero();
        assertThat(approvals().remind(many)).isEqualTo(1);
        assertThat(found(due).reminded().times()).isEqualTo(1);
    }

    private static void awaitDue(Approval asked) {
        Instant due = asked.createdAt().plusMillis(5);
        while (!Instant.now().isAfter(due)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void ofManyNodesThatLookAtOnceOneRemindsOfEach() throws Exception {
        List<Approval> asked = IntStream.range(0, 20)
                .mapToObj(i -> approvals().ask(urgent(running(), Duration.ofMinutes(20), 2)))
                .toList();
        awaitDue(asked.get(19));
        int together = Together.run(8, i -> approvals().remind(100)).stream()
                .mapToInt(Integer::intValue)
                .sum();
        assertThat(together + approvals().remind(100)).isEqualTo(20);
        assertThat(asked)
                .allSatisfy(each -> assertThat(found(each).reminded().times()).isEqualTo(1));
        assertThat(entered())
                .extracting(record -> record.entry().object())
                .containsExactlyInAnyOrderElementsOf(
                        asked.stream().map(each -> each.id().toString()).toList());
    }

    private ApprovalLink link(Approval approval, String maker, Duration patience) {
        ApprovalLink link = new ApprovalLink(
                UUID.randomUUID(),
                TENANT,
                approval.id(),
                "5ea1".repeat(16),
                new ApprovalLink.Maker(maker, Optional.of(new ApprovalLink.Person("https://id.example", "a\u00e4"))),
                Instant.now().plus(patience).truncatedTo(ChronoUnit.MILLIS),
                false);
        assertThat(links().add(link, 100, 100)).isTrue();
        return link;
    }

    private boolean used(ApprovalLink link) {
        return links().find(link.id()).orElseThrow().used();
    }

    @Test
    void aLinkIsKeptAsItIsAndTakenBackByItsTenant() {
        Approval asked = approvals().ask(question(running()));
        ApprovalLink link = link(asked, "anna", Duration.ofHours(1));
        assertThat(links().find(link.id())).contains(link);
        assertThat(links().find(UUID.randomUUID())).isEmpty();
        assertThat(links().remove("tenant-b", asked.id(), link.id())).isFalse();
        assertThat(links().remove(TENANT, UUID.randomUUID(), link.id())).isFalse();
        assertThat(links().remove(TENANT, asked.id(), link.id())).isTrue();
        assertThat(links().find(link.id())).isEmpty();
        assertThat(approvals().vote(TENANT, asked.id(), yes("anna").by(link.id())))
                .isInstanceOf(Tally.LinkOver.class);
        assertThat(found(asked).state()).isEqualTo(ApprovalState.PENDING);
    }

    @Test
    void aLinkCountsOnceForItsApprovalAndItsMakerInItsTime() {
        Fence fence = running();
        Approval asked = approvals().ask(question(fence, 1, 3, Duration.ofHours(1)));
        Approval other = approvals().ask(question(fence, 2, 3, Duration.ofHours(1)));
        ApprovalLink link = link(asked, "anna", Duration.ofHours(1));
        ApprovalLink late = link(asked, "carl", Duration.ofHours(-1));

        assertThat(approvals().vote(TENANT, other.id(), yes("anna").by(link.id())))
                .isInstanceOf(Tally.LinkOver.class);
        assertThat(approvals().vote(TENANT, asked.id(), yes("ben").by(link.id())))
                .isInstanceOf(Tally.LinkOver.class);
        assertThat(approvals().vote(TENANT, asked.id(), yes("carl").by(late.id())))
                .isInstanceOf(Tally.LinkOver.class);
        assertThat(used(link)).isFalse();
        assertThat(found(asked).voters()).isEmpty();

        assertThat(approvals().vote(TENANT, asked.id(), yes("anna").by(link.id())))
                .isInstanceOf(Tally.Counted.class);
        assertThat(used(link)).isTrue();
        assertThat(approvals().vote(TENANT, asked.id(), no("anna").by(link.id())))
                .isInstanceOf(Tally.LinkUsed.class);
        assertThat(found(asked).state()).isEqualTo(ApprovalState.PENDING);
        ApprovalLink second = link(asked, "anna", Duration.ofHours(1));
        assertThat(approvals().vote(TENANT, asked.id(), yes("anna").by(second.id())))
                .isInstanceOf(Tally.TooLate.class);
        assertThat(found(asked).voters()).containsExactly("anna");
        assertThat(found(other).voters()).isEmpty();
    }

    @Test
    void ofManyWhoUseALinkAtOnceOneDoes() throws Exception {
        Approval asked = approvals().ask(question(running(), 1, 20, Duration.ofHours(1)));
        ApprovalLink link = link(asked, "anna", Duration.ofHours(1));
        List<Tally> tallies = Together.run(
                8, i -> approvals().vote(TENANT, asked.id(), yes("anna").by(link.id())));
        assertThat(tallies).filteredOn(Tally.Counted.class::isInstance).hasSize(1);
        assertThat(tallies).filteredOn(Tally.LinkUsed.class::isInstance).hasSize(7);
        assertThat(found(asked).voters()).containsExactly("anna");
    }

    @Test
    void whoComesByALinkThatDecidedIsToldThatItWasUsed() {
        Approval asked = approvals().ask(question(running()));
        ApprovalLink link = link(asked, "anna", Duration.ofHours(1));
        ApprovalLink other = link(asked, "ben", Duration.ofHours(1));
        assertThat(approvals().vote(TENANT, asked.id(), yes("anna").by(link.id())))
                .isInstanceOf(Tally.Decided.class);
        assertThat(approvals().vote(TENANT, asked.id(), no("anna").by(link.id())))
                .isInstanceOf(Tally.LinkUsed.class);
        assertThat(approvals().vote(TENANT, asked.id(), no("ben").by(other.id())))
                .isInstanceOf(Tally.TooLate.class);
        assertThat(used(other)).isFalse();
    }

    @Test
    void anApprovalHasOnlySoManyLinksThatCount() {
        Approval asked = approvals().ask(question(running(), 1, 3, Duration.ofHours(1)));
        link(asked, "anna", Duration.ofHours(-1));
        ApprovalLink first = link(asked, "anna", Duration.ofHours(1));
        ApprovalLink second =
                new ApprovalLink(UUID.randomUUID(), TENANT, asked.id(), "", first.maker(), first.expiresAt(), false);
        assertThat(links().add(second, 1, 5)).isFalse();
        ApprovalLink another = new ApprovalLink(
                UUID.randomUUID(),
                TENANT,
                asked.id(),
                "",
                new ApprovalLink.Maker("ben", Optional.empty()),
                first.expiresAt(),
                false);
        assertThat(links().add(another, 1, 1)).isFalse();
        assertThat(links().add(another, 1, 2)).isTrue();
        approvals().vote(TENANT, asked.id(), yes("anna").by(first.id()));
        assertThat(links().add(second, 1, 2)).isTrue();
    }

    @Test
    void linksThatWereOverADayAgoAreForgotten() {
        Approval asked = approvals().ask(question(running(), 1, 3, Duration.ofHours(1)));
        Approval other = approvals().ask(question(running()));
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
