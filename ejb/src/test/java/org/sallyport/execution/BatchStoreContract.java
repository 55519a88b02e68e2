package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.AnExecution.anExecution;

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
import org.junit.jupiter.api.Test;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchAcceptance;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewItem;
import org.sallyport.batch.OnFailure;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.tool.Json;

/** What every store of batches must do. Each test finds the store empty. */
public abstract class BatchStoreContract {
    private static final String TENANT = "tenant-a";
    private static final ExecutionIds IDS = new ExecutionIds(java.time.InstantSource.system(), new Random());

    protected abstract BatchStore batches(Duration firstCheck);

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private BatchStore batches() {
        return batches(Duration.ofHours(1));
    }

    private static NewBatch batch(Optional<Integer> maxParallel, OnFailure onFailure, Optional<Idempotency> key) {
        return new NewBatch(
                new BatchId(IDS.next().value()), TENANT, "key-1", maxParallel, onFailure, Optional.empty(), key);
    }

    private static NewBatch batch(int maxParallel, OnFailure onFailure) {
        return batch(Optional.of(maxParallel), onFailure, Optional.empty());
    }

    private static List<NewItem> runs(int count) {
        return IntStream.range(0, count)
                .<NewItem>mapToObj(i ->
                        new NewItem.Runs(anExecution().args(Integer.toString(i)).build()))
                .toList();
    }

    private BatchId stored(NewBatch batch, List<NewItem> items) {
        assertThat(batches().accept(batch, items.iterator())).isEqualTo(new BatchAcceptance.Stored());
        return batch.id();
    }

    private void end(ExecutionId id, Outcome outcome) {
        Fence fence = store().claim(id, "node.1").orElseThrow().fence();
        assertThat(journal().finish(fence, outcome, Entries.NONE)).isPresent();
    }

    private static Outcome done() {
        return new Outcome.Completed(Json.NULL);
    }

    private static Outcome failed() {
        return new Outcome.Failed(ExecutionError.of(ErrorCode.SCRIPT_ERROR, "no"));
    }

    private static List<ExecutionId> ids(List<PendingJob> jobs) {
        return jobs.stream().map(PendingJob::id).toList();
    }

    private ExecutionState state(ExecutionId id) {
        return store().find(TENANT, id).orElseThrow().state();
    }

    @Test
    void batchesAreListedNewestFirstFromAnyPlace() {
        BatchId first = stored(batch(1, OnFailure.CONTINUE), runs(1));
        BatchId second = stored(batch(1, OnFailure.STOP), runs(2));
        BatchId third = stored(batch(1, OnFailure.CONTINUE), runs(1));

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
    void itLivesUntilTheLastOfItHasEnded() {
        NewExecution first = anExecution().build();
        NewExecution second = anExecution().build();
        BatchId id = stored(
                batch(Optional.empty(), OnFailure.CONTINUE, Optional.empty()),
                List.of(new NewItem.Runs(first), new NewItem.Runs(second)));
        end(first.id(), done());
        assertThat(batches().lives(id)).isTrue();
        end(second.id(), failed());
        assertThat(batches().lives(id)).isFalse();
        assertThat(batches().lives(new BatchId(IDS.next().value()))).isFalse();
    }

    @Test
    void whoTakesAnExecutionIsToldWhetherItSharesWhatItReads() {
        NewExecution shares = anExecution().build();
        shares = shares.reusing(shares.reuse().sharingReads(true));
        NewExecution other = anExecution().build();
        BatchId id = stored(
                batch(Optional.empty(), OnFailure.CONTINUE, Optional.empty()),
                List.of(new NewItem.Runs(shares), new NewItem.Runs(other)));
        assertThat(store().claim(shares.id(), "node.1").orElseThrow().sharing()).contains(id);
        assertThat(store().claim(other.id(), "node.1").orElseThrow().sharing()).isEmpty();
        assertThat(store().submitted(TENANT, shares.id()).orElseThrow().sharesReads())
                .isTrue();
        assertThat(store().submitted(TENANT, other.id()).orElseThrow().sharesReads())
                .isFalse();
    }

    @Test
    void everyItemHasItsVerdictInItsPlace() {
        NewExecution first = anExecution()
                .code("1")
                .args("{\"a\":\"\\u0000\"}")
                .further(Map.of(FurtherLimit.CONCURRENT_CALLS, 64))
                .build();
        NewExecution second = anExecution().labels(Map.of("a", "b")).priority(7).build();
        Json problem = new Json("{\"detail\":\"no \u001A\"}");
        NewBatch batch = batch(Optional.empty(), OnFailure.CONTINUE, Optional.empty());
        stored(batch, List.of(new NewItem.Runs(first), new NewItem.Refused(problem), new NewItem.Runs(second)));

        Batch found = batches().find(TENANT, batch.id()).orElseThrow();
        assertThat(found.total()).isEqualTo(3);
        assertThat(found.refused()).isEqualTo(1);
        assertThat(found.maxParallel()).isEmpty();
        assertThat(found.stopped()).isEmpty();
        assertThat(batches().find("tenant-b", batch.id())).isEmpty();
        assertThat(batches().counts(batch.id())).isEqualTo(Map.of(ExecutionState.PENDING, 2));
        List<BatchItem> items = batches().items(batch.id(), -1, 10);
        assertThat(items)
                .containsExactly(
                        new BatchItem(
                                0, Optional.of(first.id()), Optional.of(ExecutionState.PENDING), Optional.empty()),
                        new BatchItem(1, Optional.empty(), Optional.empty(), Optional.of(problem)),
                        new BatchItem(
                                2, Optional.of(second.id()), Optional.of(ExecutionState.PENDING), Optional.empty()));
        assertThat(batches().items(batch.id(), 0, 1)).isEqualTo(items.subList(1, 2));
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
    void whatFailsWhileItIsStoredLeavesNothing() {
        NewBatch batch = batch(Optional.empty(), OnFailure.CONTINUE, Optional.empty());
        Iterator<NewItem> broken = Stream.concat(runs(450).stream(), Stream.<NewItem>generate(() -> {
                    throw new IllegalStateException("unreadable");
                }))
                .iterator();

        assertThatThrownBy(() -> batches().accept(batch, broken)).hasMessageContaining("unreadable");

        assertThat(batches().find(TENANT, batch.id())).isEmpty();
        assertThat(store().list(TENANT, new ExecutionFilter(java.util.Set.of()), Optional.empty(), 10)
                        .items())
                .isEmpty();
    }

    @Test
    void oneKeyIsOneBatch() throws Exception {
        Idempotency key = new Idempotency("k", "h");
        assertThat(batches().earlier(TENANT, key)).isEmpty();
        List<BatchAcceptance> acceptances = Together.run(8, n -> {
            NewBatch batch = batch(Optional.empty(), OnFailure.CONTINUE, Optional.of(key));
            return batches().accept(batch, runs(50).iterator());
        });

        assertThat(acceptances)
                .filteredOn(BatchAcceptance.Stored.class::isInstance)
                .hasSize(1);
        assertThat(acceptances)
                .allMatch(each -> each instanceof BatchAcceptance.Stored
                        || each instanceof BatchAcceptance.Replayed
                        || each instanceof BatchAcceptance.InProgress);
        assertThat(store().list(TENANT, new ExecutionFilter(java.util.Set.of()), Optional.empty(), 100)
                        .items())
                .hasSize(50);
        assertThat(batches().earlier(TENANT, key).orElseThrow()).isInstanceOf(BatchAcceptance.Replayed.class);
        assertThat(batches().earlier(TENANT, new Idempotency("k", "other"))).contains(new BatchAcceptance.KeyReused());
        assertThat(batches().earlier("tenant-b", key)).isEmpty();
    }

    @Test
    void unboundedBatchIsForTheSweeperAtOnceAndABoundedOneNotBeforeItsTurn() {
        NewBatch free = batch(Optional.empty(), OnFailure.CONTINUE, Optional.empty());
        batches(Duration.ZERO).accept(free, runs(3).iterator());
        NewBatch bounded = batch(2, OnFailure.CONTINUE);
        List<NewItem> items = runs(3);
        batches(Duration.ZERO).accept(bounded, items.iterator());

        assertThat(store().overdueJobs(Duration.ofHours(1), 10)).hasSize(3);
        assertThat(batches().advancing(Optional.empty(), 10)).containsExactly(bounded.id());

        List<PendingJob> begun = batches(Duration.ZERO).advance(bounded.id());

        assertThat(begun).hasSize(2);
        assertThat(ids(store().overdueJobs(Duration.ofHours(1), 10))).containsExactlyInAnyOrderElementsOf(ids(begun));
    }

    @Test
    void neverAreMoreUnderWayThanMayBe() {
        BatchId id = stored(batch(2, OnFailure.CONTINUE), runs(5));

        List<ExecutionId> begun = ids(batches().advance(id));
        assertThat(begun).hasSize(2);
        assertThat(batches().advance(id)).isEmpty();
        Fence running = store().claim(begun.get(0), "node.1").orElseThrow().fence();
        assertThat(batches().advance(id)).isEmpty();
        assertThat(journal().park(running, Entries.NONE, Parking.until(Pause.Reason.TIMER, Duration.ofHours(1))))
                .isEqualTo(Parking.Answer.PARKED);
        assertThat(batches().advance(id)).isEmpty();
        end(begun.get(1), failed());
        List<ExecutionId> next = ids(batches().advance(id));
        assertThat(next).hasSize(1).doesNotContainAnyElementsOf(begun);
        assertThat(store().cancel(TENANT, begun.get(0))).isEqualTo(new Cancellation.Done(false));
        end(next.get(0), done());
        List<ExecutionId> last = ids(batches().advance(id));
        assertThat(last).hasSize(2);
        last.forEach(each -> end(each, done()));
        assertThat(batches().advancing(Optional.empty(), 10)).containsExactly(id);
        assertThat(batches().advance(id)).isEmpty();
        assertThat(batches().advancing(Optional.empty(), 10)).isEmpty();
        assertThat(batches().counts(id))
                .isEqualTo(Map.of(ExecutionState.COMPLETED, 3, ExecutionState.FAILED, 1, ExecutionState.CANCELLED, 1));
    }

    @Test
    void manyWhoMoveABatchOnTogetherLetNoMoreGo() throws Exception {
        BatchId id = stored(batch(3, OnFailure.CONTINUE), runs(20));

        List<List<PendingJob>> begun = Together.run(8, n -> batches().advance(id));

        assertThat(begun.stream().mapToInt(List::size).sum()).isEqualTo(3);
    }

    @Test
    void whatWasCancelledBeforeItsTurnTakesNoPlace() {
        List<NewItem> items = runs(4);
        BatchId id = stored(batch(1, OnFailure.CONTINUE), items);
        List<ExecutionId> all = executions(id);
        store().cancel(TENANT, all.get(0));
        store().cancel(TENANT, all.get(1));

        assertThat(ids(batches().advance(id))).containsExactly(all.get(2));
    }

    private List<ExecutionId> executions(BatchId id) {
        List<ExecutionId> all = new ArrayList<>();
        batches().items(id, -1, 1_000).forEach(item -> item.execution().ifPresent(all::add));
        return all;
    }

    @Test
    void afterAFailureNothingMoreBegins() {
        BatchId id = stored(batch(2, OnFailure.STOP), runs(300));
        List<ExecutionId> begun = ids(batches().advance(id));
        Fence running = store().claim(begun.get(0), "node.1").orElseThrow().fence();
        end(begun.get(1), failed());

        assertThat(batches().advance(id)).isEmpty();

        assertThat(batches().find(TENANT, id).orElseThrow().stopped()).contains("failure");
        assertThat(batches().advancing(Optional.empty(), 10)).isEmpty();
        assertThat(batches().counts(id))
                .isEqualTo(Map.of(ExecutionState.RUNNING, 1, ExecutionState.FAILED, 1, ExecutionState.CANCELLED, 298));
        assertThat(journal().finish(running, done(), Entries.NONE)).contains(ExecutionState.COMPLETED);
        ExecutionId cancelled = executions(id).get(250);
        assertThat(state(cancelled)).isEqualTo(ExecutionState.CANCELLED);
        assertThat(journal().trace(cancelled, 0, 10)).hasSize(1);
        assertThat(batches().failed(id, -1, 10)).extracting(BatchItem::index).containsExactly(1);
    }

    @Test
    void cancellingLeavesOnlyWhatSomebodyHas() {
        BatchId id = stored(batch(2, OnFailure.CONTINUE), runs(10));
        List<ExecutionId> begun = ids(batches().advance(id));
        assertThat(store().claim(begun.get(0), "node.1")).isPresent();

        assertThat(batches().cancelIdle("tenant-b", id)).isEmpty();
        assertThat(batches().counts(id)).containsEntry(ExecutionState.PENDING, 9);
        assertThat(batches().cancelIdle(TENANT, id)).containsExactly(begun.get(0));

        assertThat(batches().counts(id)).isEqualTo(Map.of(ExecutionState.RUNNING, 1, ExecutionState.CANCELLED, 9));
        assertThat(batches().find(TENANT, id).orElseThrow().stopped()).contains("caller");
        assertThat(batches().advance(id)).isEmpty();
        assertThat(batches().cancelIdle(TENANT, id)).containsExactly(begun.get(0));
    }

    @Test
    void whatHasRunAndWasGivenBackIsNotIdle() {
        BatchId id = stored(batch(2, OnFailure.CONTINUE), runs(3));
        List<ExecutionId> begun = ids(batches().advance(id));
        Fence ran = store().claim(begun.get(0), "node.1").orElseThrow().fence();
        assertThat(journal().release(ran, Entries.NONE)).isTrue();

        assertThat(batches().cancelIdle(TENANT, id)).containsExactly(begun.get(0));

        assertThat(batches().counts(id)).isEqualTo(Map.of(ExecutionState.PENDING, 1, ExecutionState.CANCELLED, 2));
        assertThat(store().cancel(TENANT, begun.get(0))).isEqualTo(new Cancellation.Done(false));
        assertThat(batches().cancelIdle(TENANT, id)).isEmpty();
    }

    @Test
    void tenThousandItemsAreStoredAsOne() {
        NewBatch batch = batch(Optional.of(8), OnFailure.CONTINUE, Optional.empty());
        Consumer<String> say = text -> System.getLogger("batches").log(System.Logger.Level.INFO, text);
        long begun = System.nanoTime();
        assertThat(batches()
                        .accept(
                                batch,
                                IntStream.range(0, 10_000)
                                        .<NewItem>mapToObj(i -> new NewItem.Runs(anExecution()
                                                .code("return " + i)
                                                .build()))
                                        .iterator()))
                .isEqualTo(new BatchAcceptance.Stored());
        say.accept("10,000 items stored in "
                + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        begun = System.nanoTime();
        assertThat(batches().advance(batch.id())).hasSize(8);
        say.accept("moved on in " + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        begun = System.nanoTime();
        assertThat(batches().counts(batch.id())).isEqualTo(Map.of(ExecutionState.PENDING, 10_000));
        say.accept("counted in " + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        begun = System.nanoTime();
        assertThat(batches().cancelIdle(TENANT, batch.id())).isEmpty();
        say.accept("cancelled in " + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        assertThat(batches().counts(batch.id())).isEqualTo(Map.of(ExecutionState.CANCELLED, 10_000));
    }
}
