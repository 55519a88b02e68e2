package org.sallyport.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.OrphanedExecution;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;

/** Contract of {@link NodeStore}: leases and their effect on executions. Each test starts with an empty store. */
public abstract class NodeStoreContract {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final String TENANT = "tenant-a";
    private static final LeaseAcquisition JOINED = new LeaseAcquisition.LeaseAcquired(0);

    protected abstract NodeStore nodes();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private static NodeIdentity node(String id, String life, String home) {
        return new NodeIdentity(id, id + "." + life, home);
    }

    private LeaseAcquisition join(NodeIdentity node, Duration time) {
        return nodes().acquireLease(node, node.leaseOwner(1), time);
    }

    private LeaseRenewal renew(NodeIdentity node, int term) {
        return nodes().renewLease(node, term, LONG);
    }

    private void awaitExpiry(String id) throws Exception {
        ConcurrencyTestUtil.awaitCondition(
                Duration.ofSeconds(60),
                () -> nodes().list().stream().anyMatch(lease -> lease.id().equals(id) && lease.expired()));
    }

    private ExecutionId accepted() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return execution.id();
    }

    private FencingToken claimed(String holder) {
        return store().claim(accepted(), holder).orElseThrow().fence();
    }

    private List<FencingToken> orphans(String self) {
        return store().findOrphans(self, 100).stream()
                .map(OrphanedExecution::fence)
                .toList();
    }

    @Test
    void joiningNodeGetsALeaseByTheStoreClock() {
        NodeIdentity a = node("a", "1", "host:/data \u0000");
        assertThat(join(a, LONG)).isEqualTo(JOINED);
        assertThat(join(node("b", "1", "host:/b"), LONG)).isEqualTo(JOINED);
        assertThat(nodes().list()).hasSize(2).first().satisfies(lease -> {
            assertThat(lease.id()).isEqualTo("a");
            assertThat(lease.incarnation()).isEqualTo("a.1");
            assertThat(lease.hostPath()).isEqualTo(a.hostPath());
            assertThat(lease.expired()).isFalse();
            assertThat(Duration.between(lease.startedAt(), lease.expiresAt())).isEqualTo(LONG);
        });
    }

    @Test
    void secondNodeWithTheSameIdIsRefusedWithTheCurrentLease() {
        join(node("a", "1", "host:/one"), LONG);
        assertThat(join(node("a", "2", "host:/two"), LONG))
                .isInstanceOfSatisfying(
                        LeaseAcquisition.LeaseHeldElsewhere.class,
                        refused -> assertThat(refused.lease().hostPath()).isEqualTo("host:/one"));
        assertThat(renew(node("a", "1", "host:/one"), 1)).isEqualTo(LeaseRenewal.RENEWED);
    }

    @Test
    void restartOnTheSameHostPathTakesTheLeaseFromTheEarlierIncarnation() {
        NodeIdentity first = node("a", "1", "host:/data");
        NodeIdentity second = node("a", "2", "host:/data");
        join(first, LONG);
        assertThat(join(second, LONG)).isEqualTo(new LeaseAcquisition.LeaseAcquired(1));
        assertThat(renew(first, 1)).isEqualTo(LeaseRenewal.TAKEN);
        nodes().releaseLease(first);
        assertThat(renew(second, 1)).isEqualTo(LeaseRenewal.RENEWED);
        assertThat(nodes().list()).hasSize(1).allMatch(lease -> !lease.expired());
    }

    @Test
    void expiredLeaseIsRenewableForTheNextTermUntilAnotherNodeTakesIt() throws Exception {
        NodeIdentity first = node("a", "1", "host:/one");
        join(first, SHORT);
        awaitExpiry("a");
        assertThat(renew(first, 1)).isEqualTo(LeaseRenewal.EXPIRED);
        assertThat(nodes().list()).singleElement().matches(NodeLease::expired);
        assertThat(nodes().renewLease(first, 2, SHORT)).isEqualTo(LeaseRenewal.RENEWED);
        awaitExpiry("a");
        assertThat(join(node("a", "2", "host:/two"), LONG)).isEqualTo(new LeaseAcquisition.LeaseAcquired(1));
        assertThat(renew(first, 2)).isEqualTo(LeaseRenewal.TAKEN);
        assertThat(renew(first, 3)).isEqualTo(LeaseRenewal.TAKEN);
    }

    @Test
    void lateRenewalOfAnEarlierTermChangesNothing() {
        NodeIdentity node = node("a", "1", "h:/1");
        join(node, LONG);
        assertThat(renew(node, 2)).isEqualTo(LeaseRenewal.RENEWED);
        FencingToken running = claimed(node.leaseOwner(2));
        assertThat(renew(node, 1)).isEqualTo(LeaseRenewal.EXPIRED);
        assertThat(orphans("b.1.1")).isEmpty();
        assertThat(renew(node, 2)).isEqualTo(LeaseRenewal.RENEWED);
        assertThat(renew(node, 3)).isEqualTo(LeaseRenewal.RENEWED);
        assertThat(orphans("b.1.1")).containsExactly(running);
    }

    @Test
    void lateRenewalDoesNotReviveAReleasedLease() {
        NodeIdentity node = node("a", "1", "h:/1");
        join(node, LONG);
        nodes().releaseLease(node);
        assertThat(renew(node, 1)).isEqualTo(LeaseRenewal.EXPIRED);
        assertThat(nodes().list()).singleElement().matches(NodeLease::expired);
    }

    @Test
    void releasedLeaseCanBeTakenAtOnce() {
        NodeIdentity first = node("a", "1", "host:/one");
        join(first, LONG);
        nodes().releaseLease(first);
        assertThat(join(node("a", "2", "host:/two"), LONG)).isEqualTo(JOINED);
    }

    @Test
    void startsWithoutACleanStopAreCounted() {
        join(node("a", "1", "h:/1"), LONG);
        for (int crashes = 1; crashes <= 3; crashes++) {
            NodeIdentity restarted = node("a", "" + (1 + crashes), "h:/1");
            assertThat(join(restarted, LONG)).isEqualTo(new LeaseAcquisition.LeaseAcquired(crashes));
            assertThat(renew(restarted, 1)).isEqualTo(LeaseRenewal.RENEWED);
        }
        nodes().releaseLease(node("a", "4", "h:/1"));
        assertThat(join(node("a", "5", "h:/1"), LONG)).isEqualTo(JOINED);
        assertThat(join(node("a", "6", "h:/1"), LONG)).isEqualTo(new LeaseAcquisition.LeaseAcquired(1));
    }

    @Test
    void nodeThatNeverJoinedCannotRenew() {
        assertThat(renew(node("a", "1", "h"), 1)).isEqualTo(LeaseRenewal.TAKEN);
        assertThat(nodes().list()).isEmpty();
    }

    @Test
    void oneOfManyNodesWithTheSameIdJoins() throws Exception {
        List<LeaseAcquisition> answers =
                ConcurrencyTestUtil.runConcurrently(16, n -> join(node("a", "" + n, "host:/" + n), LONG));
        assertThat(answers.stream().filter(JOINED::equals)).hasSize(1);
    }

    @Test
    void orphansAreRunningExecutionsWithoutAValidLease() throws Exception {
        join(node("here", "1", "h:/1"), LONG);
        join(node("there", "1", "h:/2"), LONG);
        join(node("gone", "1", "h:/3"), SHORT);
        claimed("here.1.1");
        claimed("there.1.1");
        FencingToken expired = claimed("gone.1.1");
        FencingToken never = claimed("never.1.1");
        accepted();
        awaitExpiry("gone");
        assertThat(orphans("here.1.1")).containsExactlyInAnyOrder(expired, never);
        assertThat(store().findOrphans("here.1.1", 1)).hasSize(1);
        assertThat(journal().finish(never, failed(), JournalBatch.NONE)).isPresent();
        assertThat(orphans("here.1.1")).containsExactly(expired);
    }

    @Test
    void executionsOfEarlierIncarnationsAndLeasesAreOrphansAtOnce() {
        NodeIdentity first = node("a", "1", "h:/1");
        NodeIdentity second = node("a", "2", "h:/1");
        join(first, LONG);
        FencingToken earlier = claimed(first.leaseOwner(1));
        join(second, LONG);
        assertThat(orphans(second.leaseOwner(1))).containsExactly(earlier);
        FencingToken now = claimed(second.leaseOwner(1));
        assertThat(orphans(second.leaseOwner(1))).containsExactly(earlier);
        assertThat(renew(second, 2)).isEqualTo(LeaseRenewal.RENEWED);
        assertThat(orphans(second.leaseOwner(2))).containsExactlyInAnyOrder(earlier, now);
    }

    @Test
    void nodeNeverSeesItsOwnExecutionsAsOrphansAfterExpiry() throws Exception {
        NodeIdentity node = node("a", "1", "h:/1");
        join(node, SHORT);
        awaitExpiry("a");
        claimed(node.leaseOwner(1));
        assertThat(orphans(node.leaseOwner(1))).isEmpty();
    }

    @Test
    void orphanCarriesItsDurabilityAndCancelRequest() {
        NewExecution brief = anExecution().durability(Durability.NONE).build();
        store().insert(brief);
        FencingToken lost = store().claim(brief.id(), "gone.1.1").orElseThrow().fence();
        assertThat(store().cancel(TENANT, brief.id())).isEqualTo(new CancelResult.CancelRequested(false));
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(lost, Durability.NONE, true, 0, 0, false));
        assertThat(store().find(TENANT, brief.id()).orElseThrow().durability()).isEqualTo(Durability.NONE);
    }

    @Test
    void requeuedExecutionIsPendingWithAnOverdueJobAndTraceEvent() {
        FencingToken lost = claimed("gone.1.1");
        assertThat(store().requeue(lost)).isTrue();
        assertThat(store().requeue(lost)).isFalse();
        assertThat(store().find(TENANT, lost.id()).map(Execution::state)).contains(ExecutionState.PENDING);
        assertThat(store().overdueJobs(LONG, 10)).containsExactly(new ExecutionJob(lost.id(), TENANT, 4, 1));
        assertThat(journal().readTrace(lost.id(), 0, 10)).singleElement().satisfies(event -> {
            assertThat(event.seq()).isEqualTo(1);
            assertThat(event).isInstanceOfSatisfying(TraceEvent.StateChanged.class, change -> {
                assertThat(change.state()).isEqualTo(ExecutionState.PENDING);
                assertThat(change.attempt()).isEqualTo(1);
            });
        });
        assertThat(journal().append(lost, JournalBatch.NONE)).isFalse();
        FencingToken next = store().claim(lost.id(), "gone.2.1").orElseThrow().fence();
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(next, Durability.JOURNAL, false, 1, 0, false));
    }

    @Test
    void lossesAloneAreCountedUntilTheMarkIsRevoked() {
        FencingToken alone = claimed("gone.1.1");
        assertThat(store().markAlone(alone)).isTrue();
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(alone, Durability.JOURNAL, false, 0, 0, true));
        assertThat(store().requeue(alone)).isTrue();
        assertThat(store().markAlone(alone)).isFalse();

        FencingToken next = store().claim(alone.id(), "gone.2.1").orElseThrow().fence();
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(next, Durability.JOURNAL, false, 1, 1, false));
        assertThat(store().markAlone(next)).isTrue();
        store().unmarkAlone("another.1.1");
        assertThat(store().findOrphans("a.1.1", 10)).singleElement().matches(OrphanedExecution::ranAlone);
        store().unmarkAlone("gone.2.1");
        assertThat(store().requeue(next)).isTrue();

        FencingToken last = store().claim(alone.id(), "gone.3.1").orElseThrow().fence();
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(last, Durability.JOURNAL, false, 2, 1, false));
    }

    @Test
    void lossesDuringAReplayAreCountedUntilAReplayIsComplete() {
        FencingToken first = claimed("gone.1.1");
        TraceEvent begun = new TraceEvent.StateChanged(1, Instant.now(), ExecutionState.RUNNING, 1);
        assertThat(journal().append(first, new JournalBatch(List.of(begun), List.of(), false)))
                .isTrue();
        assertThat(store().requeue(first)).isTrue();
        FencingToken replaying =
                store().claim(first.id(), "gone.2.1").orElseThrow().fence();
        assertThat(store().markAlone(replaying)).isTrue();
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(replaying, Durability.JOURNAL, false, 1, 0, true, 0, true));
        assertThat(store().requeue(replaying)).isTrue();

        ClaimedExecution claim = store().claim(first.id(), "gone.3.1").orElseThrow();
        assertThat(claim.nodeLosses()).isEqualTo(2);
        FencingToken second = claim.fence();
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(second, Durability.JOURNAL, false, 2, 1, false, 1, false));
        store().markReplayed(second);
        assertThat(store().findOrphans("a.1.1", 10))
                .singleElement()
                .matches(orphan -> orphan.replayLosses() == 1, "a replay beside others proves nothing");
        assertThat(store().markAlone(second)).isTrue();
        store().markReplayed(second);
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(second, Durability.JOURNAL, false, 2, 1, true, 0, false));

        assertThat(store().markAlone(second)).isTrue();
        store().unmarkAlone("gone.3.1");
        assertThat(store().requeue(second)).isTrue();
        FencingToken last = store().claim(first.id(), "gone.4.1").orElseThrow().fence();
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(last, Durability.JOURNAL, false, 3, 1, false));
    }

    @Test
    void executionThatHasLostMoreNodesIsRequeuedFirst() {
        FencingToken once = claimed("gone.1.1");
        FencingToken twice = claimed("gone.1.1");
        assertThat(store().requeue(twice)).isTrue();
        FencingToken secondClaim =
                store().claim(twice.id(), "gone.2.1").orElseThrow().fence();
        assertThat(store().requeue(once)).isTrue();
        assertThat(store().requeue(secondClaim)).isTrue();
        assertThat(store().overdueJobs(LONG, 10))
                .containsExactly(new ExecutionJob(twice.id(), TENANT, 4, 2), new ExecutionJob(once.id(), TENANT, 4, 1));
    }

    @Test
    void cancelRequestedOrReclaimedExecutionIsNotRequeued() {
        FencingToken cancelled = claimed("gone.1.1");
        store().cancel(TENANT, cancelled.id());
        assertThat(store().requeue(cancelled)).isFalse();
        FencingToken taken = claimed("gone.1.1");
        assertThat(store().requeue(new FencingToken(taken.id(), 2))).isFalse();
        assertThat(journal().finish(taken, failed(), JournalBatch.NONE)).isPresent();
        assertThat(store().requeue(taken)).isFalse();
    }

    @Test
    void executionOfARenewedNodeIsNotRequeued() throws Exception {
        NodeIdentity node = node("a", "1", "h:/1");
        join(node, SHORT);
        FencingToken running = claimed(node.leaseOwner(1));
        awaitExpiry("a");
        assertThat(orphans("b.1.1")).containsExactly(running);
        join(node, LONG);
        assertThat(store().requeue(running)).isFalse();
        assertThat(store().find(TENANT, running.id()).map(Execution::state)).contains(ExecutionState.RUNNING);
        nodes().releaseLease(node);
        assertThat(store().requeue(running)).isTrue();
    }

    @Test
    void executionThatItsOwnNodeRequeuesCountsNoLoss() {
        FencingToken unused = claimed("a.1.1");
        assertThat(store().requeueOwn(unused)).isTrue();
        assertThat(store().requeueOwn(unused)).isFalse();
        assertThat(store().find(TENANT, unused.id()).map(Execution::state)).contains(ExecutionState.PENDING);
        assertThat(store().overdueJobs(LONG, 10)).containsExactly(new ExecutionJob(unused.id(), TENANT, 4, 1));
        assertThat(journal().readTrace(unused.id(), 0, 10)).singleElement().satisfies(event -> {
            assertThat(event.seq()).isEqualTo(1);
            assertThat(event).isInstanceOfSatisfying(TraceEvent.StateChanged.class, change -> {
                assertThat(change.state()).isEqualTo(ExecutionState.PENDING);
                assertThat(change.attempt()).isEqualTo(1);
            });
        });
        assertThat(journal().append(unused, JournalBatch.NONE)).isFalse();
        FencingToken next = store().claim(unused.id(), "gone.1.1").orElseThrow().fence();
        assertThat(store().findOrphans("a.1.1", 10))
                .containsExactly(new OrphanedExecution(next, Durability.JOURNAL, false, 0, 0, false));
    }

    private boolean release(FencingToken fence) {
        long seq = fence.attempt(); // each attempt before this one has added one entry
        TraceEvent.StateChanged pending =
                new TraceEvent.StateChanged(seq, Instant.EPOCH, ExecutionState.PENDING, fence.attempt());
        JournalBatch entries = new JournalBatch(List.of(pending), List.of(), false);
        return journal().release(fence, entries) == ReleaseResult.RELEASED;
    }

    @Test
    void executionThatNeverStartedGetsItsWholeTimeAgain() throws Exception {
        NewExecution brief = anExecution().wallMillis(200).build();
        store().insert(brief);
        List<Predicate<FencingToken>> ways = List.of(store()::requeueOwn, store()::requeue, this::release);
        for (int attempt = 1; attempt <= 6; attempt++) {
            ClaimedExecution unused = store().claim(brief.id(), "a.1.1").orElseThrow();
            assertThat(unused.fence().attempt()).isEqualTo(attempt);
            assertThat(unused.remainingMillis()).isPositive();
            ConcurrencyTestUtil.awaitCondition(
                    Duration.ofSeconds(60),
                    () -> store().findClaim(brief.id(), "a.1.1").orElseThrow().remainingMillis() == 0);

            assertThat(ways.get(attempt % 3).test(unused.fence())).isTrue();

            assertThat(store().find(TENANT, brief.id()).orElseThrow().summary().startedAt())
                    .isEmpty();
        }
    }

    @Test
    void executionThatHasStartedKeepsItsDeadline() throws Exception {
        NewExecution brief = anExecution().wallMillis(200).build();
        store().insert(brief);
        FencingToken started = store().claim(brief.id(), "a.1.1").orElseThrow().fence();
        TraceEvent.StateChanged running = new TraceEvent.StateChanged(1, Instant.EPOCH, ExecutionState.RUNNING, 1);
        assertThat(journal().append(started, new JournalBatch(List.of(running), List.of(), false)))
                .isTrue();
        ConcurrencyTestUtil.awaitCondition(
                Duration.ofSeconds(60),
                () -> store().findClaim(brief.id(), "a.1.1").orElseThrow().remainingMillis() == 0);

        assertThat(store().requeueOwn(started)).isTrue();

        FencingToken secondClaim =
                store().claim(brief.id(), "a.1.1").orElseThrow().fence();
        assertThat(store().requeue(secondClaim)).isTrue();

        assertThat(store().claim(brief.id(), "a.1.1").orElseThrow().remainingMillis())
                .isZero();
    }

    @Test
    void cancelRequestedOrReclaimedExecutionIsNotRequeuedByItsOwnNode() {
        FencingToken cancelled = claimed("a.1.1");
        store().cancel(TENANT, cancelled.id());
        assertThat(store().requeueOwn(cancelled)).isFalse();
        FencingToken taken = claimed("a.1.1");
        assertThat(store().requeueOwn(new FencingToken(taken.id(), 2))).isFalse();
        assertThat(journal().finish(taken, failed(), JournalBatch.NONE)).isPresent();
        assertThat(store().requeueOwn(taken)).isFalse();
    }

    @Test
    void oneOfManyNodesRequeuesAnOrphan() throws Exception {
        FencingToken lost = claimed("gone.1.1");
        assertThat(ConcurrencyTestUtil.runConcurrently(16, n -> store().requeue(lost)))
                .filteredOn(won -> won)
                .hasSize(1);
        assertThat(journal().readTrace(lost.id(), 0, 10)).hasSize(1);
    }

    @Test
    void deadLetteredPendingExecutionFailsUnlessItWasClaimed() {
        ExecutionError error = ExecutionError.of(ErrorCode.DEAD_LETTER, "nobody could");
        ExecutionId id = accepted();
        assertThat(store().failPending(new FencingToken(id, 1), error)).isFalse();
        assertThat(store().failPending(new FencingToken(id, 0), error)).isTrue();
        assertThat(store().failPending(new FencingToken(id, 0), error)).isFalse();
        Execution failed = store().find(TENANT, id).orElseThrow();
        assertThat(failed.state()).isEqualTo(ExecutionState.FAILED);
        assertThat(failed.error()).contains(error);
        assertThat(failed.summary().errorCode()).contains("dead-letter");
        assertThat(failed.summary().finishedAt()).isPresent();
        assertThat(journal().readTrace(id, 0, 10)).hasSize(1);
        FencingToken running = claimed("a.1.1");
        assertThat(store().failPending(running, error)).isFalse();
        assertThat(store().failPending(new FencingToken(running.id(), 0), error))
                .isFalse();
    }

    private static org.sallyport.execution.ExecutionOutcome failed() {
        return new org.sallyport.execution.ExecutionOutcome.ExecutionFailed(
                ExecutionError.of(ErrorCode.SCRIPT_ERROR, "no"));
    }
}
