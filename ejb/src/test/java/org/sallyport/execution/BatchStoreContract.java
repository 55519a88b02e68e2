package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.batch.BatchInsertResult;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.batch.SizedBatchItem;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.tool.Json;

/** Contract of {@link BatchStore}, for every implementation. Each test starts with an empty store. */
public abstract class BatchStoreContract {
    private static final CancelRequest CANCEL = CancelRequest.by("key-1", Optional.of("wrong \ud800 rows"));
    private static final String TENANT = "tenant-a";
    private static final ExecutionIdGenerator IDS =
            new ExecutionIdGenerator(java.time.InstantSource.system(), new Random());

    protected abstract BatchStore batches(Duration firstCheck);

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private BatchStore batches() {
        return batches(Duration.ofHours(1));
    }

    private static NewBatch batch(
            Optional<Integer> maxParallel, BatchFailurePolicy onFailure, Optional<IdempotencyKey> key) {
        return new NewBatch(
                new BatchId(IDS.next().value()),
                TENANT,
                "key-1",
                maxParallel,
                onFailure,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                key);
    }

    private static NewBatch batch(int maxParallel, BatchFailurePolicy onFailure) {
        return batch(Optional.of(maxParallel), onFailure, Optional.empty());
    }

    private static List<NewBatchItem> runs(int count) {
        return IntStream.range(0, count)
                .<NewBatchItem>mapToObj(i -> new NewBatchItem.AcceptedBatchItem(
                        anExecution().args(Integer.toString(i)).build()))
                .toList();
    }

    private BatchId stored(NewBatch batch, List<NewBatchItem> items) {
        assertThat(batches().insert(batch, items.iterator())).isEqualTo(new BatchInsertResult.BatchInserted());
        return batch.id();
    }

    private void end(ExecutionId id, ExecutionOutcome outcome) {
        FencingToken fence = store().claim(id, "node.1").orElseThrow().fence();
        assertThat(journal().finish(fence, outcome, JournalBatch.NONE)).isPresent();
    }

    private static ExecutionOutcome done() {
        return new ExecutionOutcome.ExecutionCompleted(Json.NULL);
    }

    private static ExecutionOutcome failed() {
        return new ExecutionOutcome.ExecutionFailed(ExecutionError.of(ErrorCode.SCRIPT_ERROR, "no"));
    }

    private static List<ExecutionId> ids(List<ExecutionJob> jobs) {
        return jobs.stream().map(ExecutionJob::id).toList();
    }

    private ExecutionState state(ExecutionId id) {
        return store().find(TENANT, id).orElseThrow().state();
    }

    @Test
    void batchesAreListedNewestFirstFromAnyCursor() {
        BatchId first = stored(batch(1, BatchFailurePolicy.CONTINUE), runs(1));
        BatchId second = stored(batch(1, BatchFailurePolicy.STOP), runs(2));
        BatchId third = stored(batch(1, BatchFailurePolicy.CONTINUE), runs(1));

        assertThat(batches().list(TENANT, Optional.empty(), 2))
                .extracting(Batch::id)
                .containsExactly(third, second);
        assertThat(batches().list(TENANT, Optional.of(second), 2))
                .extracting(Batch::id)
                .containsExactly(first);
        assertThat(batches().list(TENANT, Optional.of(first), 2)).isEmpty();
        assertThat(batches().list("tenant-b", Optional.empty(), 2)).isEmpty();
    }

    @Test
    void batchIsUnfinishedUntilItsLastExecutionEnds() {
        NewExecution first = anExecution().build();
        NewExecution second = anExecution().build();
        BatchId id = stored(
                batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.empty()),
                List.of(new NewBatchItem.AcceptedBatchItem(first), new NewBatchItem.AcceptedBatchItem(second)));
        end(first.id(), done());
        assertThat(batches().hasUnfinished(id)).isTrue();
        end(second.id(), failed());
        assertThat(batches().hasUnfinished(id)).isFalse();
        assertThat(batches().hasUnfinished(new BatchId(IDS.next().value()))).isFalse();
    }

    @Test
    void claimReportsWhetherAnExecutionSharesReads() {
        NewExecution shares = anExecution().build();
        shares = shares.withCacheOptions(shares.cacheOptions().withSharedReads(true));
        NewExecution other = anExecution().build();
        BatchId id = stored(
                batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.empty()),
                List.of(new NewBatchItem.AcceptedBatchItem(shares), new NewBatchItem.AcceptedBatchItem(other)));
        assertThat(store().claim(shares.id(), "node.1").orElseThrow().readSharingBatch())
                .contains(id);
        assertThat(store().claim(other.id(), "node.1").orElseThrow().readSharingBatch())
                .isEmpty();
        assertThat(store().findSubmission(TENANT, shares.id()).orElseThrow().sharesReads())
                .isTrue();
        assertThat(store().findSubmission(TENANT, other.id()).orElseThrow().sharesReads())
                .isFalse();
    }

    @Test
    void sandboxOfAnItemIsReadByItsClaim() {
        NewExecution item = anExecution()
                .capability(new CapabilityBinding(
                        new CapabilityRef("shop.fees", "1.0.0"),
                        Optional.empty(),
                        Optional.of(CapabilitySandbox.IN_PROCESS)))
                .build();
        NewExecution other = anExecution().build();
        stored(
                batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.empty()),
                List.of(new NewBatchItem.AcceptedBatchItem(item), new NewBatchItem.AcceptedBatchItem(other)));
        assertThat(store().claim(item.id(), "node.1").orElseThrow().sandbox()).contains(CapabilitySandbox.IN_PROCESS);
        assertThat(store().claim(other.id(), "node.1").orElseThrow().sandbox()).isEmpty();
    }

    @Test
    void variablesOfAnItemAreReadByItsClaim() {
        PinnedVariables pinned = new PinnedVariables("ab12:c2VhbGVk", "REGION 1");
        NewExecution item = anExecution().variables(pinned).build();
        stored(
                batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.empty()),
                List.of(new NewBatchItem.AcceptedBatchItem(item)));
        assertThat(store().claim(item.id(), "node.1").orElseThrow().variables())
                .contains(PinnedVariables.ofStored(pinned.ciphertext()));
    }

    @Test
    void everyItemHasItsResultAtItsIndex() {
        NewExecution first = anExecution()
                .code("1")
                .args("{\"a\":\"\\u0000\"}")
                .additionalLimits(Map.of(AdditionalLimit.CONCURRENT_CALLS, 64))
                .build();
        NewExecution second = anExecution().labels(Map.of("a", "b")).priority(7).build();
        Json problem = new Json("{\"detail\":\"no \u001A\"}");
        NewBatch batch = batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.empty());
        stored(
                batch,
                List.of(
                        new NewBatchItem.AcceptedBatchItem(first),
                        new NewBatchItem.RejectedBatchItem(problem),
                        new NewBatchItem.AcceptedBatchItem(second)));

        Batch found = batches().find(TENANT, batch.id()).orElseThrow();
        assertThat(found.total()).isEqualTo(3);
        assertThat(found.rejected()).isEqualTo(1);
        assertThat(found.maxParallel()).isEmpty();
        assertThat(found.stopReason()).isEmpty();
        assertThat(batches().find("tenant-b", batch.id())).isEmpty();
        assertThat(batches().countByState(batch.id())).isEqualTo(Map.of(ExecutionState.PENDING, 2));
        List<BatchItem> items = batches().listItems(batch.id(), -1, 10);
        assertThat(items)
                .containsExactly(
                        new BatchItem(
                                0, Optional.of(first.id()), Optional.of(ExecutionState.PENDING), Optional.empty()),
                        new BatchItem(1, Optional.empty(), Optional.empty(), Optional.of(problem)),
                        new BatchItem(
                                2, Optional.of(second.id()), Optional.of(ExecutionState.PENDING), Optional.empty()));
        assertThat(batches().listItems(batch.id(), 0, 1)).isEqualTo(items.subList(1, 2));
        Execution execution = store().find(TENANT, first.id()).orElseThrow();
        assertThat(execution.args()).isEqualTo(first.args());
        assertThat(execution.limits()).isEqualTo(first.limits());
        assertThat(execution.grants()).isEqualTo(first.grants());
        assertThat(execution.summary().batch()).contains(batch.id());
        assertThat(store().find(TENANT, second.id()).orElseThrow().summary().priority())
                .isEqualTo(7);
        assertThat(store().claim(first.id(), "node.1").orElseThrow().code()).isEqualTo("1");
    }

    @Test
    void failedInsertLeavesNoRows() {
        NewBatch batch = batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.empty());
        Iterator<NewBatchItem> broken = Stream.concat(runs(450).stream(), Stream.<NewBatchItem>generate(() -> {
                    throw new IllegalStateException("unreadable");
                }))
                .iterator();

        assertThatThrownBy(() -> batches().insert(batch, broken)).hasMessageContaining("unreadable");

        assertThat(batches().find(TENANT, batch.id())).isEmpty();
        assertThat(store().list(TENANT, new ExecutionFilter(java.util.Set.of()), Optional.empty(), 10)
                        .items())
                .isEmpty();
    }

    private ExecutionId stored(NewExecution execution) {
        store().insert(execution);
        return execution.id();
    }

    @Test
    void executionsOutsideBatchesAreListedAlone() {
        ExecutionId before = stored(anExecution().build());
        stored(batch(1, BatchFailurePolicy.CONTINUE), runs(3));
        ExecutionId after = stored(anExecution().build());

        assertThat(store().list(TENANT, ExecutionFilter.OUTSIDE_BATCHES, Optional.empty(), 10)
                        .items())
                .extracting(ExecutionSummary::id)
                .containsExactly(after, before);
    }

    @Test
    void idempotencyKeyBelongsToOneBatch() throws Exception {
        IdempotencyKey key = new IdempotencyKey("k", "h");
        assertThat(batches().findByIdempotencyKey(TENANT, key)).isEmpty();
        List<BatchInsertResult> acceptances = ConcurrencyTestUtil.runConcurrently(8, n -> {
            NewBatch batch = batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.of(key));
            return batches().insert(batch, runs(50).iterator());
        });

        assertThat(acceptances)
                .filteredOn(BatchInsertResult.BatchInserted.class::isInstance)
                .hasSize(1);
        assertThat(acceptances)
                .allMatch(each -> each instanceof BatchInsertResult.BatchInserted
                        || each instanceof BatchInsertResult.BatchAlreadyInserted
                        || each instanceof BatchInsertResult.BatchInsertInProgress);
        assertThat(store().list(TENANT, new ExecutionFilter(java.util.Set.of()), Optional.empty(), 100)
                        .items())
                .hasSize(50);
        assertThat(batches().findByIdempotencyKey(TENANT, key).orElseThrow())
                .isInstanceOf(BatchInsertResult.BatchAlreadyInserted.class);
        assertThat(batches().findByIdempotencyKey(TENANT, new IdempotencyKey("k", "other")))
                .contains(new BatchInsertResult.BatchKeyReused());
        assertThat(batches().findByIdempotencyKey("tenant-b", key)).isEmpty();
    }

    @Test
    void boundedBatchIsOverdueOnlyAfterAdmission() {
        NewBatch free = batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.empty());
        batches(Duration.ZERO).insert(free, runs(3).iterator());
        NewBatch bounded = batch(2, BatchFailurePolicy.CONTINUE);
        List<NewBatchItem> items = runs(3);
        batches(Duration.ZERO).insert(bounded, items.iterator());

        assertThat(store().overdueJobs(Duration.ofHours(1), 10)).hasSize(3);
        assertThat(batches().listWithQueued(Optional.empty(), 10)).containsExactly(bounded.id());

        List<ExecutionJob> begun = batches(Duration.ZERO).admitNext(bounded.id());

        assertThat(begun).hasSize(2);
        assertThat(ids(store().overdueJobs(Duration.ofHours(1), 10))).containsExactlyInAnyOrderElementsOf(ids(begun));
    }

    @Test
    void runningItemsNeverExceedTheLimit() {
        BatchId id = stored(batch(2, BatchFailurePolicy.CONTINUE), runs(5));

        List<ExecutionId> begun = ids(batches().admitNext(id));
        assertThat(begun).hasSize(2);
        assertThat(batches().admitNext(id)).isEmpty();
        FencingToken running =
                store().claim(begun.get(0), "node.1").orElseThrow().fence();
        assertThat(batches().admitNext(id)).isEmpty();
        assertThat(journal()
                        .park(
                                running,
                                JournalBatch.NONE,
                                SuspendRequest.until(Suspension.SuspensionReason.TIMER, Duration.ofHours(1))))
                .isEqualTo(SuspendRequest.SuspendResult.PARKED);
        assertThat(batches().admitNext(id)).isEmpty();
        end(begun.get(1), failed());
        List<ExecutionId> next = ids(batches().admitNext(id));
        assertThat(next).hasSize(1).doesNotContainAnyElementsOf(begun);
        assertThat(store().cancel(TENANT, begun.get(0))).isEqualTo(new CancelResult.CancelledImmediately(false));
        end(next.get(0), done());
        List<ExecutionId> last = ids(batches().admitNext(id));
        assertThat(last).hasSize(2);
        last.forEach(each -> end(each, done()));
        assertThat(batches().listWithQueued(Optional.empty(), 10)).containsExactly(id);
        assertThat(batches().admitNext(id)).isEmpty();
        assertThat(batches().listWithQueued(Optional.empty(), 10)).isEmpty();
        assertThat(batches().countByState(id))
                .isEqualTo(Map.of(ExecutionState.COMPLETED, 3, ExecutionState.FAILED, 1, ExecutionState.CANCELLED, 1));
    }

    @Test
    void concurrentAdmissionsNeverExceedTheLimit() throws Exception {
        BatchId id = stored(batch(3, BatchFailurePolicy.CONTINUE), runs(20));

        List<List<ExecutionJob>> begun =
                ConcurrencyTestUtil.runConcurrently(8, n -> batches().admitNext(id));

        assertThat(begun.stream().mapToInt(List::size).sum()).isEqualTo(3);
    }

    @Test
    void cancelledPendingItemTakesNoSlot() {
        List<NewBatchItem> items = runs(4);
        BatchId id = stored(batch(1, BatchFailurePolicy.CONTINUE), items);
        List<ExecutionId> all = executions(id);
        store().cancel(TENANT, all.get(0));
        store().cancel(TENANT, all.get(1));

        assertThat(ids(batches().admitNext(id))).containsExactly(all.get(2));
    }

    private List<ExecutionId> executions(BatchId id) {
        List<ExecutionId> all = new ArrayList<>();
        batches().listItems(id, -1, 1_000).forEach(item -> item.execution().ifPresent(all::add));
        return all;
    }

    @Test
    void stoppedBatchAdmitsNoItemsAfterAFailure() {
        BatchId id = stored(batch(2, BatchFailurePolicy.STOP), runs(300));
        List<ExecutionId> begun = ids(batches().admitNext(id));
        FencingToken running =
                store().claim(begun.get(0), "node.1").orElseThrow().fence();
        end(begun.get(1), failed());

        assertThat(batches().admitNext(id)).isEmpty();

        assertThat(batches().find(TENANT, id).orElseThrow().stopReason()).contains("failure");
        assertThat(batches().listWithQueued(Optional.empty(), 10)).isEmpty();
        assertThat(batches().countByState(id))
                .isEqualTo(Map.of(ExecutionState.RUNNING, 1, ExecutionState.FAILED, 1, ExecutionState.CANCELLED, 298));
        assertThat(journal().finish(running, done(), JournalBatch.NONE)).contains(ExecutionState.COMPLETED);
        ExecutionId cancelled = executions(id).get(250);
        assertThat(state(cancelled)).isEqualTo(ExecutionState.CANCELLED);
        assertThat(journal().readTrace(cancelled, 0, 10)).hasSize(1);
        assertThat(batches().listFailedItems(id, -1, 10))
                .extracting(BatchItem::index)
                .containsExactly(1);
        assertThat(batches().listUnsuccessfulItems(id, -1, 3))
                .extracting(BatchItem::index)
                .containsExactly(1, 2, 3);
        assertThat(batches().listUnsuccessfulItems(id, 298, 3))
                .extracting(BatchItem::index)
                .containsExactly(299);
    }

    @Test
    void cancelLeavesOnlyRunningItems() {
        BatchId id = stored(batch(2, BatchFailurePolicy.CONTINUE), runs(10));
        List<ExecutionId> begun = ids(batches().admitNext(id));
        assertThat(store().claim(begun.get(0), "node.1")).isPresent();

        assertThat(batches().cancelNotRunning("tenant-b", id, CANCEL)).isEmpty();
        assertThat(batches().countByState(id)).containsEntry(ExecutionState.PENDING, 9);
        assertThat(batches().cancelNotRunning(TENANT, id, CANCEL)).containsExactly(begun.get(0));
        assertThat(batches().find(TENANT, id).orElseThrow().cancellation()).contains(CANCEL);
        assertThat(batches().listItems(id, -1, 10).stream()
                        .map(each -> store().find(TENANT, each.execution().orElseThrow())
                                .orElseThrow())
                        .filter(each -> each.state() == ExecutionState.CANCELLED))
                .isNotEmpty()
                .allSatisfy(each ->
                        assertThat(each.cancellation().orElseThrow().request()).isEqualTo(CANCEL));

        assertThat(batches().countByState(id))
                .isEqualTo(Map.of(ExecutionState.RUNNING, 1, ExecutionState.CANCELLED, 9));
        assertThat(batches().find(TENANT, id).orElseThrow().stopReason()).contains("caller");
        assertThat(batches().admitNext(id)).isEmpty();
        assertThat(batches().cancelNotRunning(TENANT, id, CANCEL)).containsExactly(begun.get(0));
    }

    @Test
    void nextRunOfAScheduleStopsABatchOnce() {
        BatchId id = stored(batch(2, BatchFailurePolicy.CONTINUE), runs(10));
        List<ExecutionId> begun = ids(batches().admitNext(id));
        assertThat(store().claim(begun.get(0), "node.1")).isPresent();
        CancelRequest nextRun = CancelRequest.ofService("the next run is due");

        assertThat(batches().stopForNextRun(TENANT, id, nextRun)).containsExactly(begun.get(0));
        Batch stopped = batches().find(TENANT, id).orElseThrow();
        assertThat(stopped.stopReason()).contains("schedule");
        assertThat(stopped.cancellation()).as("no caller cancelled it").isEmpty();
        assertThat(batches().countByState(id))
                .isEqualTo(Map.of(ExecutionState.RUNNING, 1, ExecutionState.CANCELLED, 9));
        assertThat(batches().stopForNextRun(TENANT, id, CANCEL)).containsExactly(begun.get(0));
        assertThat(batches().find(TENANT, id).orElseThrow().stopReason()).contains("schedule");

        BatchId cancelled = stored(batch(2, BatchFailurePolicy.CONTINUE), runs(3));
        batches().cancelNotRunning(TENANT, cancelled, CANCEL);
        assertThat(batches().stopForNextRun(TENANT, cancelled, nextRun)).isEmpty();
        assertThat(batches().find(TENANT, cancelled).orElseThrow().stopReason()).contains("caller");
    }

    @Test
    void releasedItemIsNotCancelledWithIdleItems() {
        BatchId id = stored(batch(2, BatchFailurePolicy.CONTINUE), runs(3));
        List<ExecutionId> begun = ids(batches().admitNext(id));
        FencingToken ran = store().claim(begun.get(0), "node.1").orElseThrow().fence();
        assertThat(journal().release(ran, JournalBatch.NONE)).isEqualTo(ReleaseResult.RELEASED);

        assertThat(batches().cancelNotRunning(TENANT, id, CANCEL)).containsExactly(begun.get(0));

        assertThat(batches().countByState(id))
                .isEqualTo(Map.of(ExecutionState.PENDING, 1, ExecutionState.CANCELLED, 2));
        assertThat(store().cancel(TENANT, begun.get(0))).isEqualTo(new CancelResult.CancelledImmediately(false));
        assertThat(batches().cancelNotRunning(TENANT, id, CANCEL)).isEmpty();
    }

    @Test
    void oneExecutionAnswersCoalescedItems() {
        NewBatchItem.AcceptedBatchItem first =
                new NewBatchItem.AcceptedBatchItem(anExecution().build());
        NewBatchItem.AcceptedBatchItem second =
                new NewBatchItem.AcceptedBatchItem(anExecution().build());
        Json row = new Json("{\"price\":1}");
        ExecutionId shared = first.execution().id();
        BatchId id = stored(
                batch(1, BatchFailurePolicy.CONTINUE),
                List.of(
                        first,
                        new NewBatchItem.CoalescedBatchItem(shared, Optional.of(row)),
                        second,
                        new NewBatchItem.CoalescedBatchItem(shared, Optional.empty())));

        Batch found = batches().find(TENANT, id).orElseThrow();
        assertThat(found.total()).isEqualTo(4);
        assertThat(found.coalesced()).isEqualTo(2);
        assertThat(batches().findRow(id, 1)).contains(row);
        assertThat(batches().listItems(id, -1, 10))
                .extracting(item -> item.execution().orElseThrow())
                .containsExactly(shared, shared, second.execution().id(), shared);
        assertThat(ids(batches().admitNext(id))).containsExactly(shared);
        end(shared, failed());
        assertThat(batches().countByState(id)).isEqualTo(Map.of(ExecutionState.FAILED, 3, ExecutionState.PENDING, 1));
        assertThat(batches().countFailedExecutions(id)).isEqualTo(1);
        assertThat(batches().listFailedItems(id, -1, 10))
                .extracting(BatchItem::index)
                .containsExactly(0, 1, 3);
        assertThat(ids(batches().admitNext(id)))
                .containsExactly(second.execution().id());
    }

    @Test
    void cancelEndsACoalescedExecutionOnce() {
        NewBatchItem.AcceptedBatchItem running =
                new NewBatchItem.AcceptedBatchItem(anExecution().build());
        NewBatchItem.AcceptedBatchItem waiting =
                new NewBatchItem.AcceptedBatchItem(anExecution().build());
        ExecutionId taken = running.execution().id();
        ExecutionId queued = waiting.execution().id();
        BatchId id = stored(
                batch(1, BatchFailurePolicy.CONTINUE),
                List.of(
                        running,
                        waiting,
                        new NewBatchItem.CoalescedBatchItem(queued, Optional.empty()),
                        new NewBatchItem.CoalescedBatchItem(taken, Optional.empty())));
        batches().admitNext(id);
        assertThat(store().claim(taken, "node.1")).isPresent();

        assertThat(batches().cancelNotRunning(TENANT, id, CANCEL)).containsExactly(taken);

        assertThat(batches().countByState(id))
                .isEqualTo(Map.of(ExecutionState.RUNNING, 2, ExecutionState.CANCELLED, 2));
        assertThat(journal().readTrace(queued, 0, 10)).hasSize(1);
    }

    @Test
    void rowsAreKeptWithTheirItems() {
        Json row = new Json("{\"name\":\"\\u0000 =1+1\",\"price\":\"007\"}");
        NewBatch rows = new NewBatch(
                new BatchId(IDS.next().value()),
                TENANT,
                "key-1",
                Optional.empty(),
                BatchFailurePolicy.CONTINUE,
                Optional.empty(),
                Optional.of(new CapabilityRef("shop.refund", "1.0.0")),
                List.of("name", "price", "\u0000"),
                Optional.empty());
        stored(
                rows,
                List.of(
                        new NewBatchItem.AcceptedBatchItem(anExecution().build(), Optional.of(row)),
                        new NewBatchItem.RejectedBatchItem(new Json("{}"), Optional.of(row)),
                        new NewBatchItem.AcceptedBatchItem(anExecution().build())));

        Batch found = batches().find(TENANT, rows.id()).orElseThrow();
        assertThat(found.capability()).isEqualTo(rows.capability());
        assertThat(found.columns()).isEqualTo(rows.columns());
        assertThat(batches().list(TENANT, Optional.empty(), 1)).containsExactly(found);
        assertThat(batches().findRow(rows.id(), 0)).contains(row);
        assertThat(batches().findRow(rows.id(), 1)).contains(row);
        assertThat(batches().findRow(rows.id(), 2)).isEmpty();
        assertThat(batches().listUnsuccessfulItems(rows.id(), -1, 3))
                .extracting(BatchItem::index)
                .containsExactly(1);
        assertThat(batches().findRow(rows.id(), 3)).isEmpty();
        assertThat(batches().findRows(rows.id(), List.of(0, 1, 2, 3)).keySet()).containsExactlyInAnyOrder(0, 1);
        assertThat(batches().findRows(rows.id(), List.of(1))).isEqualTo(Map.of(1, row));
        assertThat(batches().findRows(new BatchId(IDS.next().value()), List.of(0)))
                .isEmpty();
    }

    @Test
    void itemsAreListedWithTheSizeOfTheirValues() {
        NewExecution large =
                anExecution().args("\"" + "ü".repeat(50_000) + "\"").build();
        NewExecution failing = anExecution().args("1").build();
        BatchId id = stored(
                batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.empty()),
                List.of(
                        new NewBatchItem.AcceptedBatchItem(large),
                        new NewBatchItem.RejectedBatchItem(new Json("{}"), Optional.of(new Json("\"row\""))),
                        new NewBatchItem.AcceptedBatchItem(failing)));
        end(failing.id(), failed());

        List<SizedBatchItem> all = batches().listSizedItems(id, -1, 10, false);
        assertThat(all).extracting(SizedBatchItem::item).isEqualTo(batches().listItems(id, -1, 10));
        assertThat(all).extracting(SizedBatchItem::bytes).containsExactly(100_002L, 7L, 3L);
        assertThat(batches().listSizedItems(id, 0, 1, false)).containsExactly(all.get(1));
        List<SizedBatchItem> unsuccessful = batches().listSizedItems(id, -1, 10, true);
        assertThat(unsuccessful)
                .extracting(SizedBatchItem::item)
                .isEqualTo(batches().listUnsuccessfulItems(id, -1, 10));
        assertThat(unsuccessful).containsExactly(all.get(1), all.get(2));
    }

    @Test
    void executionsOfItemsAreFoundTogether() {
        NewExecution one = anExecution().args("1").build();
        NewExecution other = anExecution().args("2").build();
        NewExecution foreign = anExecution().tenant("tenant-b").build();
        stored(
                batch(Optional.empty(), BatchFailurePolicy.CONTINUE, Optional.empty()),
                List.of(new NewBatchItem.AcceptedBatchItem(one), new NewBatchItem.AcceptedBatchItem(other)));
        store().insert(foreign);
        end(one.id(), done());

        List<ExecutionId> ids = List.of(one.id(), other.id(), foreign.id(), IDS.next());
        assertThat(store().findAll(TENANT, ids))
                .containsExactlyInAnyOrder(
                        store().find(TENANT, one.id()).orElseThrow(),
                        store().find(TENANT, other.id()).orElseThrow());
    }

    @Test
    void twoThousandItemsAreStoredAsOneBatch() {
        assertStoredAsOneBatch(2_000);
    }

    @Tag("slow")
    @Test
    void tenThousandItemsAreStoredAsOneBatch() {
        assertStoredAsOneBatch(10_000);
    }

    private void assertStoredAsOneBatch(int items) {
        NewBatch batch = batch(Optional.of(8), BatchFailurePolicy.CONTINUE, Optional.empty());
        Consumer<String> log = text -> System.getLogger("batches").log(System.Logger.Level.INFO, text);
        long begun = System.nanoTime();
        assertThat(batches()
                        .insert(
                                batch,
                                IntStream.range(0, items)
                                        .<NewBatchItem>mapToObj(i -> new NewBatchItem.AcceptedBatchItem(anExecution()
                                                .code("return " + i)
                                                .build()))
                                        .iterator()))
                .isEqualTo(new BatchInsertResult.BatchInserted());
        log.accept(items + " items stored in "
                + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        begun = System.nanoTime();
        assertThat(batches().admitNext(batch.id())).hasSize(8);
        log.accept("moved on in " + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        begun = System.nanoTime();
        assertThat(batches().countByState(batch.id())).isEqualTo(Map.of(ExecutionState.PENDING, items));
        log.accept("counted in " + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        begun = System.nanoTime();
        assertThat(batches().cancelNotRunning(TENANT, batch.id(), CANCEL)).isEmpty();
        log.accept("cancelled in " + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        assertThat(batches().countByState(batch.id())).isEqualTo(Map.of(ExecutionState.CANCELLED, items));
    }
}
