package org.sallyport.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
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

/** Contract of {@link ScheduleRowsStore}, for every implementation. Each test starts with an empty store. */
public abstract class ScheduleRowsStoreContract {
    private static final String TENANT = "t\u0000";
    private static final Duration HOLD = Duration.ofHours(1);
    private static final Duration CLAIM = Duration.ofHours(2);
    private static final Json OPTIONS = new Json("{\"capability\":\"shop.refund\"}");
    private static final AtomicInteger NUMBER = new AtomicInteger();

    protected abstract ScheduleStore schedules();

    protected abstract ScheduleRowsStore rows();

    protected abstract BatchStore batches();

    protected abstract ExecutionStore executions();

    /** Moves the next fire time of a schedule into the past. */
    protected abstract void backdate(ScheduleId id, Duration by) throws Exception;

    private static NewSchedule newSchedule(ScheduleId id, ConcurrencyPolicy overlap, boolean runsBatch) {
        return new NewSchedule(
                id,
                TENANT,
                "key\u0000",
                "hourly",
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

    private ScheduleRows put(ScheduleId id, byte[] content) {
        ScheduleRows stored = describe(content);
        assertThat(rows().putRows(TENANT, id, stored, new ByteArrayInputStream(content)))
                .isTrue();
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

    private FireResult claim(DueSchedule due) {
        return rows().claim(due.schedule(), turn(due), HOLD, CLAIM);
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
        return java.util.Arrays.stream(runs)
                .<NewBatchItem>map(NewBatchItem.AcceptedBatchItem::new)
                .iterator();
    }

    private FireResult fire(DueSchedule due, NewBatch batch) {
        return rows().fireBatch(due.schedule(), turn(due), batch, items(execution(), execution()));
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

        byte[] small = "a\n1\n".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        ScheduleRows second = put(id, small);
        assertThat(read(id, first)).isEmpty();
        assertThat(read(id, second)).contains(small);
        assertThat(find(id).version()).isGreaterThan(stored.version());
        assertThat(find(id).dueAt()).isEqualTo(stored.dueAt());
    }

    @Test
    void rowsBelongToASchedulesOfBatchesOfTheTenant() {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        byte[] content = {1};
        assertThat(rows().putRows("other", id, describe(content), new ByteArrayInputStream(content)))
                .isFalse();
        ScheduleRows stored = put(id, content);
        assertThat(schedules().replace(newSchedule(id, ConcurrencyPolicy.ALLOW, true)))
                .isEqualTo(SaveResult.STORED);
        assertThat(find(id).rows()).as("a schedule of batches keeps its rows").isPresent();
        assertThat(schedules().replace(newSchedule(id, ConcurrencyPolicy.ALLOW, false)))
                .isEqualTo(SaveResult.STORED);
        assertThat(find(id).rows()).isEmpty();
        assertThat(read(id, stored)).isEmpty();
        assertThat(rows().putRows(TENANT, id, describe(content), new ByteArrayInputStream(content)))
                .isFalse();
    }

    @Test
    void rowsAreDeletedWithTheirSchedule() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        ScheduleRows stored = put(id, new byte[] {1, 2});
        NewBatch batch = batch();
        assertThat(fire(due(id), batch)).isEqualTo(new FireResult.BatchFired());
        assertThat(schedules().delete(TENANT, id)).isTrue();
        assertThat(read(id, stored)).isEmpty();
        assertThat(rows().listBatches(id, Optional.empty(), 10)).isEmpty();
        assertThat(batches().find(TENANT, batch.id())).as("its batches stay").isPresent();
    }

    @Test
    void dueTimeIsClaimedByOneNodeAtATime() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        put(id, new byte[] {1});
        DueSchedule due = due(id);
        assertThat(claim(due)).isEqualTo(new FireResult.BatchClaimed());
        assertThat(schedules().findDue(10)).as("other nodes leave it alone").isEmpty();
        assertThat(find(id).dueAt()).isEqualTo(due.schedule().dueAt());
        backdate(id, CLAIM);
        assertThat(schedules().findDue(10)).as("the node died").hasSize(1);
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
            assertThat(rows().listBatches(id, Optional.empty(), 10))
                    .containsExactly(new ScheduleRowsStore.ScheduleBatch(
                            batch.id(), Optional.of(due.schedule().dueAt())));
            assertThat(rows().listBatches(id, Optional.of(batch.id()), 10)).isEmpty();
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
        assertThatThrownBy(() -> rows().fireBatch(due.schedule(), turn(due), batch(), broken))
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
        assertThat(rows().runBatchNow(due.schedule(), batch(), items(execution())))
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
        assertThat(rows().runBatchNow(find(id), asked, items(execution(), execution())))
                .isTrue();
        assertThat(find(id).lastBatch().orElseThrow().batch()).isEqualTo(asked.id());
        DueSchedule due = due(id);
        assertThat(claim(due)).isEqualTo(new FireResult.BatchDeferred(List.of(asked.id())));
        assertThat(find(id).waitingForPrevious()).isTrue();
        executions()
                .cancel(
                        TENANT,
                        batches()
                                .listItems(asked.id(), -1, 1)
                                .get(0)
                                .execution()
                                .orElseThrow());
        assertThat(claim(due)).as("one of two rows has ended").isInstanceOf(FireResult.BatchDeferred.class);
        cancelAll(asked.id());
        assertThat(claim(due)).isEqualTo(new FireResult.BatchClaimed());
        assertThat(fire(due, batch())).isEqualTo(new FireResult.BatchFired());
        assertThat(find(id).waitingForPrevious()).isFalse();
        assertThat(rows().listBatches(id, Optional.empty(), 10))
                .extracting(ScheduleRowsStore.ScheduleBatch::at)
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
