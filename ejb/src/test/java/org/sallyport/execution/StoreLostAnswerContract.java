package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.store.jpa.CommitFaults;
import org.sallyport.store.jpa.CommitFaults.CommitFault;

/**
 * Contract of {@link ExecutionStore} for commits that the store does not answer: each write takes effect once, whether
 * the first commit succeeded, failed, or succeeds after the write was repeated. Each test starts with an empty store.
 */
public abstract class StoreLostAnswerContract {
    private static final String TENANT = "tenant-a";
    private static final String OWNER = "node.1";

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    protected abstract CommitFaults faults();

    private ExecutionId accepted() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return execution.id();
    }

    private FencingToken claimed() {
        return store().claim(accepted(), OWNER).orElseThrow().fence();
    }

    private ExecutionState state(ExecutionId id) {
        return store().find(TENANT, id).orElseThrow().state();
    }

    @ParameterizedTest
    @EnumSource
    void submissionWithAKeyIsStoredOnce(CommitFault fault) throws Exception {
        NewExecution execution = anExecution().idempotency("k", "h").build();

        InsertResult repeated = faults().repeatAfter(fault, () -> store().insert(execution));

        assertThat(repeated)
                .isIn(
                        new InsertResult.ExecutionInserted(execution.id()),
                        new InsertResult.ExecutionAlreadyInserted(execution.id()));
        assertThat(store().list(TENANT, new ExecutionFilter(Set.of()), Optional.empty(), 10)
                        .items())
                .extracting(ExecutionSummary::id)
                .containsExactly(execution.id());
    }

    @ParameterizedTest
    @EnumSource
    void claimIsCountedOnceAndFound(CommitFault fault) throws Exception {
        ExecutionId id = accepted();

        Optional<ClaimedExecution> repeated = faults().repeatAfter(fault, () -> store().claim(id, OWNER));

        assertThat(repeated.isPresent()).isEqualTo(fault == CommitFault.NOT_COMMITTED);
        assertThat(store().findClaim(id, OWNER)).map(ClaimedExecution::fence).contains(new FencingToken(id, 1));
        assertThat(store().findClaim(id, "node.2")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void requeueCountsOneLoss(CommitFault fault) throws Exception {
        FencingToken fence = claimed();

        boolean repeated = faults().repeatAfter(fault, () -> store().requeue(fence));

        assertThat(repeated).isEqualTo(fault == CommitFault.NOT_COMMITTED);
        assertRequeuedOnce(fence, 1);
    }

    @ParameterizedTest
    @EnumSource
    void executionIsRequeuedOnceByItsOwnNode(CommitFault fault) throws Exception {
        FencingToken fence = claimed();

        boolean repeated = faults().repeatAfter(fault, () -> store().requeueOwn(fence));

        assertThat(repeated).isEqualTo(fault == CommitFault.NOT_COMMITTED);
        assertRequeuedOnce(fence, 0);
    }

    private void assertRequeuedOnce(FencingToken fence, int losses) {
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
        assertThat(journal().readEntries(fence.id())).hasSize(1);
        FencingToken next = store().claim(fence.id(), "node.2").orElseThrow().fence();
        assertThat(store().findOrphans(OWNER, 10))
                .containsExactly(new OrphanedExecution(next, Durability.JOURNAL, false, losses));
    }

    @ParameterizedTest
    @EnumSource
    void parkedExecutionIsResumedOnce(CommitFault fault) throws Exception {
        FencingToken fence = claimed();
        SuspendRequest hour = SuspendRequest.until(Suspension.SuspensionReason.TIMER, Duration.ofHours(1));
        assertThat(journal().park(fence, JournalBatch.NONE, hour)).isEqualTo(SuspendRequest.SuspendResult.PARKED);

        boolean repeated = faults().repeatAfter(fault, () -> store().resumeDue(fence, Duration.ZERO));

        assertThat(repeated).isEqualTo(fault == CommitFault.NOT_COMMITTED);
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
        assertThat(journal().readEntries(fence.id())).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void cancelRequestIsStoredOnce(CommitFault fault) throws Exception {
        FencingToken fence = claimed();

        CancelResult repeated = faults().repeatAfter(fault, () -> store().cancel(TENANT, fence.id()));

        assertThat(repeated).isEqualTo(new CancelResult.CancelRequested(fault != CommitFault.NOT_COMMITTED));
        assertThat(store().findCancelRequests(OWNER)).containsExactly(fence.id());
    }
}
