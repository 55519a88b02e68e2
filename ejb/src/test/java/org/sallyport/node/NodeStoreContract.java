package org.sallyport.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.Cancellation;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Orphan;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.Together;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;

/** What every store of leases must do, and what they mean for executions. Each test finds the store empty. */
public abstract class NodeStoreContract {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final String TENANT = "tenant-a";
    private static final Joining JOINED = new Joining.Joined();

    protected abstract NodeStore nodes();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private static NodeIdentity node(String id, String life, String home) {
        return new NodeIdentity(id, id + "." + life, home);
    }

    private Joining join(NodeIdentity node, Duration time) {
        return nodes().join(node, node.holder(1), time);
    }

    private void awaitExpiry(String id) throws Exception {
        Together.await(
                Duration.ofSeconds(60),
                () -> nodes().list().stream().anyMatch(lease -> lease.id().equals(id) && lease.expired()));
    }

    private ExecutionId accepted() {
        NewExecution execution = anExecution().build();
        store().accept(execution);
        return execution.id();
    }

    private Fence claimed(String holder) {
        return store().claim(accepted(), holder).orElseThrow().fence();
    }

    private List<Fence> orphans(String self) {
        return store().orphans(self, 100).stream().map(Orphan::fence).toList();
    }

    @Test
    void whoJoinsHasALeaseByTheStoresClock() {
        NodeIdentity a = node("a", "1", "host:/data \u0000");
        assertThat(join(a, LONG)).isEqualTo(JOINED);
        assertThat(join(node("b", "1", "host:/b"), LONG)).isEqualTo(JOINED);
        assertThat(nodes().list()).hasSize(2).first().satisfies(lease -> {
            assertThat(lease.id()).isEqualTo("a");
            assertThat(lease.incarnation()).isEqualTo("a.1");
            assertThat(lease.home()).isEqualTo(a.home());
            assertThat(lease.expired()).isFalse();
            assertThat(Duration.between(lease.startedAt(), lease.until())).isEqualTo(LONG);
        });
    }

    @Test
    void anotherNodeWithTheSameIdIsRefusedAndToldWhoHasIt() {
        join(node("a", "1", "host:/one"), LONG);
        assertThat(join(node("a", "2", "host:/two"), LONG))
                .isInstanceOfSatisfying(
                        Joining.Refused.class,
                        refused -> assertThat(refused.lease().home()).isEqualTo("host:/one"));
        assertThat(nodes().renew(node("a", "1", "host:/one"), "a.1.1", LONG)).isTrue();
    }

    @Test
    void aRestartAtTheSameHomeTakesOverAtOnceAndTheEarlierLifeLearnsOfIt() {
        NodeIdentity first = node("a", "1", "host:/data");
        NodeIdentity second = node("a", "2", "host:/data");
        join(first, LONG);
        assertThat(join(second, LONG)).isEqualTo(JOINED);
        assertThat(nodes().renew(first, first.holder(1), LONG)).isFalse();
        nodes().leave(first);
        assertThat(nodes().renew(second, second.holder(1), LONG)).isTrue();
        assertThat(nodes().list()).hasSize(1).allMatch(lease -> !lease.expired());
    }

    @Test
    void anExpiredLeaseCanBeRenewedUntilAnotherTookIt() throws Exception {
        NodeIdentity first = node("a", "1", "host:/one");
        join(first, SHORT);
        awaitExpiry("a");
        assertThat(nodes().renew(first, first.holder(1), SHORT)).isTrue();
        awaitExpiry("a");
        assertThat(join(node("a", "2", "host:/two"), LONG)).isEqualTo(JOINED);
        assertThat(nodes().renew(first, first.holder(1), LONG)).isFalse();
    }

    @Test
    void whoLeavesKeepsNobodyWaiting() {
        NodeIdentity first = node("a", "1", "host:/one");
        join(first, LONG);
        nodes().leave(first);
        assertThat(join(node("a", "2", "host:/two"), LONG)).isEqualTo(JOINED);
    }

    @Test
    void whoNeverJoinedRenewsNothing() {
        assertThat(nodes().renew(node("a", "1", "h"), "a.1.1", LONG)).isFalse();
        assertThat(nodes().list()).isEmpty();
    }

    @Test
    void oneOfManyNodesWithOneIdJoins() throws Exception {
        List<Joining> answers = Together.run(16, n -> join(node("a", "" + n, "host:/" + n), LONG));
        assertThat(answers.stream().filter(JOINED::equals)).hasSize(1);
    }

    @Test
    void orphansAreRunningUnderNoLeaseThatLasts() throws Exception {
        join(node("here", "1", "h:/1"), LONG);
        join(node("there", "1", "h:/2"), LONG);
        join(node("gone", "1", "h:/3"), SHORT);
        claimed("here.1.1");
        claimed("there.1.1");
        Fence gone = claimed("gone.1.1");
        Fence never = claimed("never.1.1");
        accepted();
        awaitExpiry("gone");
        assertThat(orphans("here.1.1")).containsExactlyInAnyOrder(gone, never);
        assertThat(store().orphans("here.1.1", 1)).hasSize(1);
        assertThat(journal().finish(never, failed(), Entries.NONE)).isPresent();
        assertThat(orphans("here.1.1")).containsExactly(gone);
    }

    @Test
    void whatEarlierLivesAndTermsOfANodeRanIsOrphanedAtOnce() {
        NodeIdentity first = node("a", "1", "h:/1");
        NodeIdentity second = node("a", "2", "h:/1");
        join(first, LONG);
        Fence earlier = claimed(first.holder(1));
        join(second, LONG);
        assertThat(orphans(second.holder(1))).containsExactly(earlier);
        Fence now = claimed(second.holder(1));
        assertThat(orphans(second.holder(1))).containsExactly(earlier);
        nodes().renew(second, second.holder(2), LONG);
        assertThat(orphans(second.holder(2))).containsExactlyInAnyOrder(earlier, now);
    }

    @Test
    void aNodeNeverTakesItsOwnForLostHoweverTheStoresClockGoes() throws Exception {
        NodeIdentity node = node("a", "1", "h:/1");
        join(node, SHORT);
        awaitExpiry("a");
        claimed(node.holder(1));
        assertThat(orphans(node.holder(1))).isEmpty();
    }

    @Test
    void orphansTellWhatIsToBecomeOfThem() {
        NewExecution brief = anExecution().durability(Durability.NONE).build();
        store().accept(brief);
        Fence lost = store().claim(brief.id(), "gone.1.1").orElseThrow().fence();
        assertThat(store().cancel(TENANT, brief.id())).isEqualTo(new Cancellation.Requested());
        assertThat(store().orphans("a.1.1", 10)).containsExactly(new Orphan(lost, Durability.NONE, true, 0));
        assertThat(store().find(TENANT, brief.id()).orElseThrow().durability()).isEqualTo(Durability.NONE);
    }

    @Test
    void whatIsRequeuedIsPendingWithItsJobDueAndItsTraceSaysSo() {
        Fence lost = claimed("gone.1.1");
        assertThat(store().requeue(lost)).isTrue();
        assertThat(store().requeue(lost)).isFalse();
        assertThat(store().find(TENANT, lost.id()).map(Execution::state)).contains(ExecutionState.PENDING);
        assertThat(store().overdueJobs(LONG, 10)).containsExactly(new PendingJob(lost.id(), TENANT, 4, 1));
        assertThat(journal().trace(lost.id(), 0, 10)).singleElement().satisfies(event -> {
            assertThat(event.seq()).isEqualTo(1);
            assertThat(event).isInstanceOfSatisfying(TraceEvent.StateChanged.class, change -> {
                assertThat(change.state()).isEqualTo(ExecutionState.PENDING);
                assertThat(change.attempt()).isEqualTo(1);
            });
        });
        assertThat(journal().append(lost, Entries.NONE)).isFalse();
        Fence next = store().claim(lost.id(), "gone.2.1").orElseThrow().fence();
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(store().orphans("a.1.1", 10)).containsExactly(new Orphan(next, Durability.JOURNAL, false, 1));
    }

    @Test
    void whatACallerAskedToCancelOrSomebodyTookIsNotRequeued() {
        Fence cancelled = claimed("gone.1.1");
        store().cancel(TENANT, cancelled.id());
        assertThat(store().requeue(cancelled)).isFalse();
        Fence taken = claimed("gone.1.1");
        assertThat(store().requeue(new Fence(taken.id(), 2))).isFalse();
        assertThat(journal().finish(taken, failed(), Entries.NONE)).isPresent();
        assertThat(store().requeue(taken)).isFalse();
    }

    @Test
    void oneOfManyWhoFindAnOrphanRequeuesIt() throws Exception {
        Fence lost = claimed("gone.1.1");
        assertThat(Together.run(16, n -> store().requeue(lost)))
                .filteredOn(won -> won)
                .hasSize(1);
        assertThat(journal().trace(lost.id(), 0, 10)).hasSize(1);
    }

    @Test
    void whatNobodyCouldTakeFailsUnlessItWasTakenMeanwhile() {
        ExecutionError error = ExecutionError.of(ErrorCode.DEAD_LETTER, "nobody could");
        ExecutionId id = accepted();
        assertThat(store().failPending(new Fence(id, 1), error)).isFalse();
        assertThat(store().failPending(new Fence(id, 0), error)).isTrue();
        assertThat(store().failPending(new Fence(id, 0), error)).isFalse();
        Execution failed = store().find(TENANT, id).orElseThrow();
        assertThat(failed.state()).isEqualTo(ExecutionState.FAILED);
        assertThat(failed.error()).contains(error);
        assertThat(failed.summary().errorCode()).contains("dead-letter");
        assertThat(failed.summary().finishedAt()).isPresent();
        assertThat(journal().trace(id, 0, 10)).hasSize(1);
        Fence running = claimed("a.1.1");
        assertThat(store().failPending(running, error)).isFalse();
        assertThat(store().failPending(new Fence(running.id(), 0), error)).isFalse();
    }

    private static org.sallyport.execution.Outcome failed() {
        return new org.sallyport.execution.Outcome.Failed(ExecutionError.of(ErrorCode.SCRIPT_ERROR, "no"));
    }
}
