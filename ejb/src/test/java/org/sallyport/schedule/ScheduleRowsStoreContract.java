package org.sallyport.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.schedule.ScheduleStore.DueSchedule;
import org.sallyport.tool.Json;

/**
 * Contract of {@link ScheduleRowsStore} and {@link ScheduleBatchStore}, for every implementation. Each test starts with
 * an empty store.
 */
public abstract class ScheduleRowsStoreContract {
    private static final String TENANT = "t\u0000";
    private static final Duration HOLD = Duration.ofHours(1);
    private static final Duration CLAIM = Duration.ofHours(2);
    private static final Json OPTIONS = new Json("{\"capability\":\"shop.refund\"}");
    private static final long MAX_BYTES = 2_000_000;
    private static final AtomicInteger NUMBER = new AtomicInteger();

    protected abstract ScheduleStore schedules();

    protected abstract ScheduleRowsStore rows();

    protected abstract ScheduleBatchStore scheduleBatches();

    protected abstract BatchStore batches();

    protected abstract ExecutionStore executions();

    /** Moves the next fire time of a schedule into the past. */
    protected abstract void backdate(ScheduleId id, Duration by) throws Exception;

    /** Moves the next check of a schedule into the past. */
    protected abstract void backdateCheck(ScheduleId id, Duration by) throws Exception;

    /** Locks a schedule, as another transaction does, until the result is closed. */
    protected abstract AutoCloseable lock(ScheduleId id) throws Exception;

    private static NewSchedule newSchedule(ScheduleId id, ConcurrencyPolicy overlap, boolean runsBatch) {
        return newSchedule(id, TENANT, "hourly", overlap, runsBatch);
    }

    private static NewSchedule newSchedule(
            ScheduleId id, String tenant, String name, ConcurrencyPolicy overlap, boolean runsBatch) {
        return new NewSchedule(
                id,
                tenant,
                "key\u0000",
                name,
                new Trigger.IntervalTrigger(Duration.ofHours(1), Instant.EPOCH),
                overlap,
                MisfirePolicy.LAST,
                OPTIONS,
                false,
                runsBatch);
    }

    private ScheduleId created(ConcurrencyPolicy overlap) {
        ScheduleId id = new ScheduleId(new UUID(0x7000L + NUMBER.incrementAndGet(), 9));
        assertThat(schedules().create(newSchedule(id, overlap, true), 10)).isEqualTo(SaveResult.STORED);
        return id;
    }

    private Schedule find(ScheduleId id) {
        return schedules().find(TENANT, id).orElseThrow();
    }

    private PutRowsResult tryPut(Schedule seen, byte[] content) {
        return rows().putRows(seen, describe(content), new ByteArrayInputStream(content), MAX_BYTES);
    }

    private ScheduleRows put(ScheduleId id, byte[] content) {
        ScheduleRows stored = describe(content);
        assertThat(rows().putRows(find(id), stored, new ByteArrayInputStream(content), MAX_BYTES))
                .isEqualTo(PutRowsResult.STORED);
        return stored;
    }

    private static ScheduleRows describe(byte[] content) {
        return new ScheduleRows(
                UUID.randomUUID(), "text/csv", content.length, "abc", 3, 1, "uploader\u0000", Instant.EPOCH);
    }

    private Optional<byte[]> read(ScheduleId id, ScheduleRows stored) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        return rows().copyRows(id, stored, out) ? Optional.of(out.toByteArray()) : Optional.empty();
    }

    private DueSchedule due(ScheduleId id) throws Exception {
        backdate(id, Duration.ofMinutes(61));
        List<DueSchedule> due = schedules().findDue(10);
        assertThat(due).hasSize(1);
        return due.get(0);
    }

    private static FireDecision.FireNow turn(DueSchedule due) {
        return new FireDecision.FireNow(
                due.schedule().dueAt(), due.schedule().trigger().nextAfter(due.now()));
    }

    private List<DueSchedule> queued() {
        return scheduleBatches().findQueued("", 10);
    }

    private FireResult claim(DueSchedule due) {
        return scheduleBatches().claim(due.schedule(), turn(due), HOLD, CLAIM);
    }

    private static NewBatch batch() {
        return new NewBatch(
                new BatchId(new UUID(0x7100L + NUMBER.incrementAndGet(), 9)),
                TENANT,
                "key-1",
                Optional.empty(),
                BatchFailurePolicy.CONTINUE,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty());
    }

    private static NewExecution execution() {
        return anExecution().tenant(TENANT).build();
    }

    private static Iterator<NewBatchItem> items(NewExecution... runs) {
        return Arrays.stream(runs)
                .<NewBatchItem>map(NewBatchItem.AcceptedBatchItem::new)
                .iterator();
    }

    private FireResult fire(DueSchedule due, NewBatch batch) {
        return scheduleBatches().fireBatch(due.schedule(), turn(due), batch, items(execution(), execution()));
    }

    private void cancelAll(BatchId id) {
        batches()
                .listItems(id, -1, 10)
                .forEach(item -> executions().cancel(TENANT, item.execution().orElseThrow()));
    }

    @Test
    void rowsAreReplacedAsAWhole() {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        assertThat(find(id).runsBatch()).isTrue();
        assertThat(find(id).rows()).isEmpty();
        byte[] large = new byte[1_300_000];
        new Random(7).nextBytes(large);
        ScheduleRows first = put(id, large);

        Schedule stored = find(id);
        assertThat(stored.rows().orElseThrow())
                .usingRecursiveComparison()
                .ignoringFields("uploadedAt")
                .isEqualTo(first);
        assertThat(stored.rows().orElseThrow().uploadedAt())
                .isAfter(stored.createdAt().minusSeconds(60));
        assertThat(stored.owner()).isEqualTo("uploader\u0000");
        assertThat(stored.creator()).isEqualTo("key\u0000");
        assertThat(stored.request()).isEqualTo(OPTIONS);
        assertThat(read(id, first)).contains(large);

        byte[] small = "a\n1\n".getBytes(StandardCharsets.UTF_8);
        ScheduleRows second = put(id, small);
        assertThat(read(id, first)).isEmpty();
        assertThat(read(id, second)).contains(small);
        assertThat(find(id).version()).isGreaterThan(stored.version());
        assertThat(find(id).dueAt()).isEqualTo(stored.dueAt());
    }

    @Test
    void rowsBelongToAScheduleOfBatches() {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        byte[] content = {1};
        ScheduleRows stored = put(id, content);
        assertThat(schedules().replace(newSchedule(id, ConcurrencyPolicy.ALLOW, true)))
                .isEqualTo(SaveResult.STORED);
        assertThat(find(id).rows()).as("a schedule of batches keeps its rows").isPresent();
        assertThat(schedules().replace(newSchedule(id, ConcurrencyPolicy.ALLOW, false)))
                .isEqualTo(SaveResult.STORED);
        assertThat(find(id).rows()).isEmpty();
        assertThat(read(id, stored)).isEmpty();
        assertThat(tryPut(find(id), content)).isEqualTo(PutRowsResult.CHANGED);
    }

    @Test
    void rowsAreDeletedWithTheirSchedule() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        ScheduleRows stored = put(id, new byte[] {1, 2});
        NewBatch batch = batch();
        assertThat(fire(due(id), batch)).isEqualTo(new FireResult.BatchFired());
        assertThat(schedules().delete(TENANT, id)).isTrue();
        assertThat(read(id, stored)).isEmpty();
        assertThat(scheduleBatches().listBatches(TENANT, id, Optional.empty(), 10))
                .isEmpty();
        assertThat(batches().find(TENANT, batch.id())).as("its batches stay").isPresent();
    }

    @Test
    void fileOfAChangedScheduleIsNotStored() {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        byte[] content = {1};
        ScheduleRows first = put(id, content);
        Schedule seen = find(id);
        assertThat(schedules().replace(newSchedule(id, ConcurrencyPolicy.SKIP, true)))
                .isEqualTo(SaveResult.STORED);

        assertThat(tryPut(seen, content))
                .as("the file was checked for another capability")
                .isEqualTo(PutRowsResult.CHANGED);
        assertThat(find(id).owner()).isEqualTo("key\u0000");
        assertThat(find(id).rows().orElseThrow().fileId()).isEqualTo(first.fileId());
        assertThat(read(id, first)).contains(content);
    }

    @Test
    void uploadMakesAClaimedTimeDueAgain() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        assertThat(claim(due(id))).isEqualTo(new FireResult.BatchClaimed());
        assertThat(queued()).isEmpty();
        put(id, new byte[] {2});
        assertThat(queued()).as("with the new file").hasSize(1);
    }

    @Test
    void dueTimeIsClaimedByOneNodeAtATime() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        List<FireResult> claims = ConcurrencyTestUtil.runConcurrently(4, i -> claim(due));
        assertThat(claims)
                .containsOnlyOnce(new FireResult.BatchClaimed())
                .allMatch(each -> each instanceof FireResult.BatchClaimed || each instanceof FireResult.FireSuperseded);
        assertThat(claim(due)).as("a node that found it earlier").isEqualTo(new FireResult.FireSuperseded());
        assertThat(queued()).as("other nodes leave it alone").isEmpty();
        assertThat(schedules().findDue(10)).isEmpty();
        assertThat(find(id).dueAt()).isEqualTo(due.schedule().dueAt());
        backdateCheck(id, Duration.ofSeconds(1));
        assertThat(queued()).as("the node died").hasSize(1);
        scheduleBatches().renewClaim(due.schedule(), CLAIM);
        assertThat(queued()).as("the node works on").isEmpty();
        scheduleBatches().renewClaim(due.schedule(), Duration.ZERO);
        assertThat(queued()).as("the node gave up").hasSize(1);
        assertThat(claim(due)).isEqualTo(new FireResult.BatchClaimed());
    }

    @Test
    void handledOrChangedTimeHasNoClaim() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        assertThat(claim(due)).isEqualTo(new FireResult.BatchClaimed());
        assertThat(fire(due, batch())).isEqualTo(new FireResult.BatchFired());
        DueSchedule next = due(id);
        scheduleBatches().renewClaim(due.schedule(), CLAIM);
        assertThat(claim(next)).isEqualTo(new FireResult.BatchClaimed());
    }

    @Test
    void queuedTimeIsNotFoundWithOthersAndIsNotLate() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        assertThat(queued()).isEmpty();
        scheduleBatches().queue(due.schedule());

        assertThat(schedules().findDue(10)).as("it would hide other schedules").isEmpty();
        assertThat(queued()).hasSize(1);
        schedules()
                .skip(
                        due.schedule(),
                        new FireDecision.SkipFire(
                                due.schedule().dueAt(), turn(due).nextDueAt()),
                        Schedule.SkipReason.LATE);
        assertThat(find(id).lastSkipped()).isEmpty();
        assertThat(find(id).dueAt()).isEqualTo(due.schedule().dueAt());
        assertThat(fire(due, batch())).isEqualTo(new FireResult.BatchFired());
        assertThat(due(id).schedule().dueAt())
                .as("the next time is queued again")
                .isAfter(due.schedule().dueAt());
    }

    /** A tool that replaces its schedules every few minutes must not take their turns from them. */
    @Test
    void queuedTimeStaysQueuedWhileTheTriggerStays() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        scheduleBatches().queue(due.schedule());
        NewSchedule sameTrigger = newSchedule(id, ConcurrencyPolicy.ALLOW, true);

        assertThat(schedules().replace(sameTrigger)).isEqualTo(SaveResult.STORED);

        assertThat(schedules().findDue(10)).as("it would hide other schedules").isEmpty();
        assertThat(queued()).hasSize(1);
        assertThat(find(id).dueAt()).isEqualTo(due.schedule().dueAt());

        NewSchedule otherTrigger = new NewSchedule(
                id,
                TENANT,
                sameTrigger.owner(),
                sameTrigger.name(),
                new Trigger.IntervalTrigger(Duration.ofHours(2), Instant.EPOCH),
                ConcurrencyPolicy.ALLOW,
                MisfirePolicy.LAST,
                OPTIONS,
                false,
                true);
        assertThat(schedules().replace(otherTrigger)).isEqualTo(SaveResult.STORED);
        assertThat(queued()).isEmpty();
        assertThat(schedules().findDue(10)).isEmpty();
        assertThat(due(id).schedule().trigger().hasSameRule(otherTrigger.trigger()))
                .as("it is due, and not yet queued")
                .isTrue();
    }

    @Test
    void queuedTimeIsDueForASingleExecutionThatReplacesTheBatch() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        scheduleBatches().queue(due.schedule());

        assertThat(schedules().replace(newSchedule(id, ConcurrencyPolicy.SKIP, false)))
                .isEqualTo(SaveResult.STORED);

        assertThat(queued()).isEmpty();
        List<DueSchedule> single = schedules().findDue(10);
        assertThat(single).hasSize(1);
        assertThat(single.get(0).schedule().dueAt()).isEqualTo(due.schedule().dueAt());
        assertThat(schedules().fire(single.get(0).schedule(), turn(single.get(0)), execution(), HOLD))
                .isInstanceOf(FireResult.ScheduleFired.class);
    }

    @Test
    void changedScheduleIsNotQueued() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        put(id, new byte[] {2});
        scheduleBatches().queue(due.schedule());
        assertThat(queued()).isEmpty();
        assertThat(schedules().findDue(10)).hasSize(1);
        scheduleBatches().queue(schedules().findDue(10).get(0).schedule());
        schedules().pause(TENANT, id, "enough");
        assertThat(queued()).isEmpty();
        schedules().resume(TENANT, id, "key-1");
        assertThat(due(id)).isNotNull();
    }

    @Test
    void tenantsTakeTurnsInTheQueue() throws Exception {
        List<ScheduleId> ids = new ArrayList<>();
        for (String tenant : List.of("a", "a", "b")) {
            ScheduleId id = new ScheduleId(new UUID(0x7000L + NUMBER.incrementAndGet(), 9));
            NewSchedule schedule = newSchedule(id, tenant, "hourly-" + ids.size(), ConcurrencyPolicy.SKIP, true);
            assertThat(schedules().create(schedule, 10)).isEqualTo(SaveResult.STORED);
            backdate(id, Duration.ofMinutes(90 - ids.size()));
            ids.add(id);
        }
        schedules().findDue(10).forEach(due -> scheduleBatches().queue(due.schedule()));

        assertThat(scheduleBatches().findQueued("", 10))
                .extracting(due -> due.schedule().id())
                .containsExactlyElementsOf(ids);
        assertThat(scheduleBatches().findQueued("a", 10))
                .extracting(due -> due.schedule().id())
                .containsExactly(ids.get(2));
        assertThat(scheduleBatches().findQueued("b", 10)).isEmpty();
        assertThat(scheduleBatches().findQueued("", 1)).hasSize(1);
    }

    @Test
    void finishedBatchWaitsForALockOfItsSchedule() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        CompletableFuture<FireResult> fired;
        try (AutoCloseable locked = lock(id)) {
            assertThat(locked).isNotNull();
            fired = CompletableFuture.supplyAsync(() -> fire(due, batch()));
            assertThatThrownBy(() -> fired.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        }
        assertThat(fired.get(30, TimeUnit.SECONDS)).isEqualTo(new FireResult.BatchFired());
    }

    @Test
    void largeUploadLocksItsScheduleOnlyAtTheEnd() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        byte[] content = {1};
        Schedule seen = find(id);
        ByteArrayInputStream file = new ByteArrayInputStream(content) {
            @Override
            public byte[] readNBytes(int length) throws IOException {
                schedules().pause(TENANT, id, "during the upload");
                return super.readNBytes(length);
            }
        };
        assertThat(rows().putRows(seen, describe(content), file, MAX_BYTES)).isEqualTo(PutRowsResult.CHANGED);
        assertThat(find(id).pause()).isPresent();
        assertThat(find(id).rows()).isEmpty();
    }

    @Test
    void filesOfATenantHaveALimitTogether() {
        List<ScheduleId> ids = new ArrayList<>();
        for (String tenant : List.of(TENANT, TENANT, "other")) {
            ScheduleId id = new ScheduleId(new UUID(0x7000L + NUMBER.incrementAndGet(), 9));
            NewSchedule schedule = newSchedule(id, tenant, "hourly-" + ids.size(), ConcurrencyPolicy.SKIP, true);
            assertThat(schedules().create(schedule, 10)).isEqualTo(SaveResult.STORED);
            ids.add(id);
        }
        byte[] large = new byte[1_200_000];
        put(ids.get(0), large);

        assertThat(tryPut(find(ids.get(1)), large)).isEqualTo(PutRowsResult.TOO_MANY_BYTES);
        assertThat(find(ids.get(1)).rows()).isEmpty();
        assertThat(find(ids.get(1)).owner()).isEqualTo("key\u0000");
        put(ids.get(0), large);
        assertThat(tryPut(schedules().find("other", ids.get(2)).orElseThrow(), large))
                .isEqualTo(PutRowsResult.STORED);
        put(ids.get(0), new byte[] {1});
        put(ids.get(1), large);
    }

    @Test
    void kindOfWorkChangesWithoutTheLatestRunOfTheOther() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        NewBatch first = batch();
        assertThat(fire(due(id), first)).isEqualTo(new FireResult.BatchFired());
        assertThat(schedules().replace(newSchedule(id, ConcurrencyPolicy.SKIP, true)))
                .isEqualTo(SaveResult.STORED);
        assertThat(find(id).lastBatch()).as("the same kind").isPresent();
        assertThat(schedules().replace(newSchedule(id, ConcurrencyPolicy.SKIP, false)))
                .isEqualTo(SaveResult.STORED);
        assertThat(find(id).lastBatch()).isEmpty();
        assertThat(find(id).lastRun()).isEmpty();

        DueSchedule single = due(id);
        assertThat(schedules().fire(single.schedule(), turn(single), execution(), HOLD))
                .as("the batch has not ended")
                .isEqualTo(new FireResult.FireSkipped());
        cancelAll(first.id());
        DueSchedule next = due(id);
        assertThat(schedules().fire(next.schedule(), turn(next), execution(), HOLD))
                .isInstanceOf(FireResult.ScheduleFired.class);
        assertThat(schedules().replace(newSchedule(id, ConcurrencyPolicy.QUEUE, true)))
                .isEqualTo(SaveResult.STORED);
        assertThat(find(id).lastRun()).isEmpty();
        put(id, new byte[] {1});
        assertThat(claim(due(id)))
                .as("the execution has not ended")
                .isInstanceOfSatisfying(FireResult.FireDeferred.class, held -> {
                    assertThat(held.executions()).hasSize(1);
                    assertThat(held.batches()).isEmpty();
                });
    }

    @Test
    void batchThatAUserSubmitsMeanwhileSupersedesATimeThatMayNotOverlap() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        assertThat(claim(due)).isEqualTo(new FireResult.BatchClaimed());
        Schedule seen = find(id);
        NewBatch asked = batch();
        List<Object> results = ConcurrencyTestUtil.runConcurrently(
                2, i -> i == 0 ? fire(due, batch()) : scheduleBatches().runBatchNow(seen, asked, items(execution())));
        assertThat(results.get(1)).isEqualTo(true);
        int stored = results.get(0) instanceof FireResult.BatchFired ? 2 : 1;
        assertThat(batches().list(TENANT, Optional.empty(), 10)).hasSize(stored);
        assertThat(scheduleBatches().listBatches(TENANT, id, Optional.empty(), 10))
                .hasSize(stored);
    }

    @Test
    void batchIsStoredOnceForADueTime() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        List<NewBatch> all = List.of(batch(), batch(), batch(), batch());
        List<FireResult> fired = ConcurrencyTestUtil.runConcurrently(4, i -> fire(due, all.get(i)));

        assertThat(fired)
                .containsOnlyOnce(new FireResult.BatchFired())
                .allMatch(each -> each instanceof FireResult.BatchFired || each instanceof FireResult.FireSuperseded);
        List<Batch> stored = batches().list(TENANT, Optional.empty(), 10);
        assertThat(stored).singleElement().satisfies(batch -> {
            assertThat(batch.total()).isEqualTo(2);
            assertThat(scheduleBatches().listBatches(TENANT, id, Optional.empty(), 10))
                    .containsExactly(new ScheduleBatchStore.ScheduleBatch(
                            batch.id(), Optional.of(due.schedule().dueAt()), new Schedule.BatchSize(2, 0)));
            assertThat(scheduleBatches().listBatches(TENANT, id, Optional.of(batch.id()), 10))
                    .isEmpty();
            Schedule after = find(id);
            assertThat(after.lastBatch())
                    .contains(new Schedule.LastScheduleBatch(
                            batch.id(), due.schedule().dueAt(), Optional.of(new Schedule.BatchSize(2, 0))));
            assertThat(after.dueAt()).isEqualTo(due.schedule().trigger().nextAfter(due.now()));
            ExecutionId run =
                    batches().listItems(batch.id(), -1, 1).get(0).execution().orElseThrow();
            assertThat(executions().find(TENANT, run).orElseThrow().summary().schedule())
                    .contains(id.value());
        });
        assertThat(schedules().findDue(10)).isEmpty();
    }

    @Test
    void failedBatchLeavesTheTimeDue() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        Iterator<NewBatchItem> broken = new Iterator<>() {
            private boolean read;

            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public NewBatchItem next() {
                if (read) {
                    throw new NoSuchElementException("the file cannot be read");
                }
                read = true;
                return new NewBatchItem.AcceptedBatchItem(execution());
            }
        };
        assertThatThrownBy(() -> scheduleBatches().fireBatch(due.schedule(), turn(due), batch(), broken))
                .isInstanceOf(RuntimeException.class);
        assertThat(batches().list(TENANT, Optional.empty(), 10)).isEmpty();
        assertThat(schedules().findDue(10)).hasSize(1);
        assertThat(fire(due, batch())).isEqualTo(new FireResult.BatchFired());
    }

    @Test
    void changedScheduleOrFileSupersedesABatch() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        put(id, new byte[] {2});
        assertThat(fire(due, batch())).isEqualTo(new FireResult.FireSuperseded());
        assertThat(claim(due)).isEqualTo(new FireResult.FireSuperseded());
        assertThat(scheduleBatches().runBatchNow(due.schedule(), batch(), items(execution())))
                .isFalse();
        assertThat(batches().list(TENANT, Optional.empty(), 10)).isEmpty();
        DueSchedule later = schedules().findDue(10).get(0);
        schedules().pause(TENANT, id, "enough");
        assertThat(fire(later, batch())).isEqualTo(new FireResult.FireSuperseded());
        assertThat(batches().list(TENANT, Optional.empty(), 10)).isEmpty();
    }

    @Test
    void skipPolicySkipsATimeWhileABatchRuns() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        NewBatch first = batch();
        assertThat(fire(due(id), first)).isEqualTo(new FireResult.BatchFired());
        DueSchedule second = due(id);
        assertThat(fire(second, batch())).isEqualTo(new FireResult.FireSuperseded());
        assertThat(claim(second)).isEqualTo(new FireResult.FireSkipped());
        assertThat(find(id).lastSkipped())
                .contains(new Schedule.SkippedRun(second.schedule().dueAt(), Schedule.SkipReason.OVERLAP));
        cancelAll(first.id());
        assertThat(claim(due(id))).isEqualTo(new FireResult.BatchClaimed());
    }

    @Test
    void queuePolicyDefersATimeUntilTheBatchEnds() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.QUEUE);
        put(id, new byte[] {1});
        NewBatch asked = batch();
        assertThat(scheduleBatches().runBatchNow(find(id), asked, items(execution(), execution())))
                .isTrue();
        assertThat(find(id).lastBatch().orElseThrow().batch()).isEqualTo(asked.id());
        DueSchedule due = due(id);
        assertThat(claim(due)).isEqualTo(new FireResult.FireDeferred(List.of(), List.of(asked.id())));
        assertThat(find(id).waitingForPrevious()).isTrue();
        executions()
                .cancel(
                        TENANT,
                        batches()
                                .listItems(asked.id(), -1, 1)
                                .get(0)
                                .execution()
                                .orElseThrow());
        assertThat(claim(due)).as("not checked for a while").isEqualTo(new FireResult.FireSuperseded());
        backdateCheck(id, Duration.ofSeconds(1));
        assertThat(claim(due)).as("one of two rows has ended").isInstanceOf(FireResult.FireDeferred.class);
        cancelAll(asked.id());
        backdateCheck(id, Duration.ofSeconds(1));
        assertThat(claim(due)).isEqualTo(new FireResult.BatchClaimed());
        assertThat(fire(due, batch())).isEqualTo(new FireResult.BatchFired());
        assertThat(find(id).waitingForPrevious()).isFalse();
        assertThat(scheduleBatches().listBatches(TENANT, id, Optional.empty(), 10))
                .extracting(ScheduleBatchStore.ScheduleBatch::at)
                .containsExactly(Optional.of(due.schedule().dueAt()), Optional.empty());
    }

    @Test
    void timeWithoutRowsIsSkippedWithItsReason() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        DueSchedule due = due(id);
        schedules()
                .skip(
                        due.schedule(),
                        new FireDecision.SkipFire(
                                due.schedule().dueAt(), turn(due).nextDueAt()),
                        Schedule.SkipReason.NO_ROWS);
        assertThat(find(id).lastSkipped())
                .contains(new Schedule.SkippedRun(due.schedule().dueAt(), Schedule.SkipReason.NO_ROWS));
        assertThat(schedules().findDue(10)).isEmpty();
    }
}
