package org.sallyport.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Parking;
import org.sallyport.execution.Pause;
import org.sallyport.execution.Together;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
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
        long end = System.nanoTime() + 10_000_000_000L;
        while (approvals().sweep(10).isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
        assertThat(approvals().find(TENANT, id).orElseThrow().state()).isEqualTo(ApprovalState.EXPIRED);
        assertThat(approvals().find(TENANT, later).orElseThrow().state()).isEqualTo(ApprovalState.PENDING);
        assertThat(approvals().vote(TENANT, id, yes("anna"))).isInstanceOf(Tally.TooLate.class);
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
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
}
