package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.batch.BatchInsertResult;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.NestedExecutionStore.NestResult;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.store.jpa.CommitFaults;
import org.sallyport.store.jpa.CommitFaults.CommitFault;
import org.sallyport.tool.CallId;

/**
 * Contract of {@link ExecutionStore} for commits that the store does not answer: each write takes effect once, whether
 * the first commit succeeded, failed, or succeeds after the write was repeated. Each test starts with an empty store.
 */
public abstract class StoreLostAnswerContract {
    private static final String TENANT = "tenant-a";
    private static final String OWNER = "node.1";
    private static final CancelRequest CANCEL = CancelRequest.by("key-1", Optional.of("wrong rows"));

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    protected abstract BatchStore batches();

    protected abstract NestedExecutionStore nested();

    protected abstract CommitFaults faults();

    private ExecutionId accepted() {
        return accepted(anExecution().build());
    }

    private ExecutionId accepted(NewExecution execution) {
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
    void submissionWithAKeyIsStoredOnce(CommitFault commitFault) throws Exception {
        assertInsertedOnce(commitFault, anExecution().idempotency("k", "h").build());
    }

    @ParameterizedTest
    @EnumSource
    void submissionWithoutAKeyIsStoredOnce(CommitFault commitFault) throws Exception {
        assertInsertedOnce(commitFault, anExecution().build());
    }

    /** An insert that is repeated is no replay of an earlier request. */
    private void assertInsertedOnce(CommitFault commitFault, NewExecution execution) throws Exception {
        InsertResult repeated = faults().repeatAfter(commitFault, () -> store().insert(execution));

        assertThat(repeated).isEqualTo(new InsertResult.ExecutionInserted(execution.id()));
        assertThat(store().list(TENANT, new ExecutionFilter(Set.of()), Optional.empty(), 10)
                        .items())
                .extracting(ExecutionSummary::id)
                .containsExactly(execution.id());
    }

    @ParameterizedTest
    @EnumSource
    void batchIsStoredOnce(CommitFault commitFault) throws Exception {
        assertBatchInsertedOnce(commitFault, Optional.empty());
    }

    @ParameterizedTest
    @EnumSource
    void batchWithAKeyIsStoredOnce(CommitFault commitFault) throws Exception {
        assertBatchInsertedOnce(commitFault, Optional.of(new IdempotencyKey("k", "h")));
    }

    private void assertBatchInsertedOnce(CommitFault commitFault, Optional<IdempotencyKey> key) throws Exception {
        NewBatch batch = new NewBatch(
                new BatchId(UUID.randomUUID()),
                TENANT,
                "key-1",
                Optional.empty(),
                BatchFailurePolicy.CONTINUE,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                key);
        NewExecution execution = anExecution().build();
        List<NewBatchItem> items = List.of(new NewBatchItem.AcceptedBatchItem(execution));

        BatchInsertResult repeated =
                faults().repeatAfter(commitFault, () -> batches().insert(batch, items.iterator()));

        assertThat(repeated).isEqualTo(new BatchInsertResult.BatchInserted());
        assertThat(batches().find(TENANT, batch.id()).orElseThrow().total()).isEqualTo(1);
        assertThat(batches().listItems(batch.id(), -1, 10))
                .extracting(BatchItem::execution)
                .containsExactly(Optional.of(execution.id()));
    }

    @ParameterizedTest
    @EnumSource
    void nestedExecutionIsStoredOnce(CommitFault commitFault) throws Exception {
        ExecutionId parent = claimed().id();
        ParentExecution nesting = nested().parentFor(parent, 1);
        NewExecution child = anExecution().build();

        NestResult repeated = faults().repeatAfter(commitFault, () -> nested().insertNested(child, nesting, 10));

        assertThat(repeated).isEqualTo(new NestResult.NestedExecutionStored(child.id()));
        assertThat(nested().findChild(new CallId(parent.toString(), 1))).contains(child.id());
        assertThat(nested().insertNested(anExecution().build(), nesting, 10))
                .isEqualTo(new NestResult.NestedExecutionExists(child.id()));
    }

    @ParameterizedTest
    @EnumSource
    void claimWithAConcurrencyKeyIsFound(CommitFault commitFault) throws Exception {
        ExecutionId id = accepted(anExecution()
                .admission(AdmissionConstraints.NONE.withConcurrencyKey(Optional.of("printer")))
                .build());

        // The first commit finds that the execution waits for its turn, the second claims it.
        Optional<ClaimedExecution> repeated = faults().repeatAfter(commitFault, 2, () -> store().claim(id, OWNER));

        assertThat(repeated.isPresent()).isEqualTo(commitFault == CommitFault.NOT_COMMITTED);
        assertThat(store().findClaim(id, OWNER)).map(ClaimedExecution::fence).contains(new FencingToken(id, 1));
    }

    @ParameterizedTest
    @EnumSource
    void claimIsCountedOnceAndFound(CommitFault commitFault) throws Exception {
        ExecutionId id = accepted();

        Optional<ClaimedExecution> repeated = faults().repeatAfter(commitFault, () -> store().claim(id, OWNER));

        assertThat(repeated.isPresent()).isEqualTo(commitFault == CommitFault.NOT_COMMITTED);
        assertThat(store().findClaim(id, OWNER)).map(ClaimedExecution::fence).contains(new FencingToken(id, 1));
        assertThat(store().findClaim(id, "node.2")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void requeueCountsOneLoss(CommitFault commitFault) throws Exception {
        FencingToken fence = claimed();

        boolean repeated = faults().repeatAfter(commitFault, () -> store().requeue(fence));

        assertThat(repeated).isEqualTo(commitFault == CommitFault.NOT_COMMITTED);
        assertRequeuedOnce(fence, 1);
    }

    @ParameterizedTest
    @EnumSource
    void executionIsRequeuedOnceByItsOwnNode(CommitFault commitFault) throws Exception {
        FencingToken fence = claimed();

        boolean repeated = faults().repeatAfter(commitFault, () -> store().requeueOwn(fence));

        assertThat(repeated).isEqualTo(commitFault == CommitFault.NOT_COMMITTED);
        assertRequeuedOnce(fence, 0);
    }

    private void assertRequeuedOnce(FencingToken fence, int losses) {
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
        assertThat(journal().readEntries(fence.id(), 0, 1_000)).hasSize(1);
        FencingToken next = store().claim(fence.id(), "node.2").orElseThrow().fence();
        assertThat(store().findOrphans(OWNER, 10))
                .containsExactly(new OrphanedExecution(next, Durability.JOURNAL, false, losses, 0, false));
    }

    @ParameterizedTest
    @EnumSource
    void parkedExecutionIsResumedOnce(CommitFault commitFault) throws Exception {
        FencingToken fence = claimed();
        SuspendRequest hour = SuspendRequest.until(Suspension.SuspensionReason.TIMER, Duration.ofHours(1));
        assertThat(journal().park(fence, JournalBatch.NONE, hour)).isEqualTo(SuspendRequest.SuspendResult.PARKED);

        boolean repeated = faults().repeatAfter(commitFault, () -> store().resumeDue(fence, Duration.ZERO));

        assertThat(repeated).isEqualTo(commitFault == CommitFault.NOT_COMMITTED);
        assertThat(state(fence.id())).isEqualTo(ExecutionState.PENDING);
        assertThat(journal().readEntries(fence.id(), 0, 1_000)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void cancelRequestIsStoredOnce(CommitFault commitFault) throws Exception {
        FencingToken fence = claimed();

        CancelResult result = cancel(commitFault, fence.id());

        assertThat(result).isEqualTo(new CancelResult.CancelRequested(false));
        assertThat(store().findCancelRequests(OWNER)).containsExactly(fence.id());
    }

    /** The store repeats the cancellation itself. */
    private CancelResult cancel(CommitFault commitFault, ExecutionId id) throws Exception {
        faults().failCommit(commitFault, 1);
        return faults().repeat(() -> store().cancel(TENANT, id, CANCEL, tool -> true));
    }

    @ParameterizedTest
    @EnumSource
    void idleExecutionIsCancelledOnce(CommitFault commitFault) throws Exception {
        ExecutionId id = accepted();

        CancelResult result = cancel(commitFault, id);

        assertThat(result).isInstanceOf(CancelResult.CancelledImmediately.class);
        assertThat(state(id)).isEqualTo(ExecutionState.CANCELLED);
        assertThat(store().cancel(TENANT, id, CANCEL, tool -> true))
                .isEqualTo(new CancelResult.AlreadyTerminal(ExecutionState.CANCELLED));
    }

    @ParameterizedTest
    @EnumSource
    void cancellationByAnotherIsNotReportedAsOwn(CommitFault commitFault) throws Exception {
        ExecutionId ended = accepted();
        ExecutionId running = claimed().id();
        CancelRequest earlier = CancelRequest.by("key-2", Optional.empty());
        store().cancel(TENANT, ended, earlier, tool -> true);
        store().cancel(TENANT, running, earlier, tool -> true);

        assertThat(cancel(commitFault, ended)).isEqualTo(new CancelResult.AlreadyTerminal(ExecutionState.CANCELLED));
        assertThat(cancel(commitFault, running)).isEqualTo(new CancelResult.CancelRequested(true));
    }
}
