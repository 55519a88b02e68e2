package org.sallyport.store.jpa;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.CronExpression;
import org.sallyport.schedule.MisfirePolicy;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.schedule.ScheduleStore.DueSchedule;
import org.sallyport.schedule.Trigger;
import org.sallyport.tool.Json;

/** Maps the columns that {@link ScheduleStatements} reads to schedules. */
final class ScheduleEntityMapper {
    private ScheduleEntityMapper() {}

    static DueSchedule toDueSchedule(@Nullable Object[] row) {
        return new DueSchedule(toSchedule(row), JpaScheduleStore.toInstant(row[23]));
    }

    static Schedule toSchedule(@Nullable Object[] row) {
        return new Schedule(
                new ScheduleId(JpaBatchStore.uuid(row[0])),
                LosslessText.decode(JpaBatchStore.text(row[1])),
                LosslessText.decode(JpaBatchStore.text(row[24])),
                LosslessText.decode(JpaBatchStore.text(row[2])),
                JpaBatchStore.text(row[3]),
                toTrigger(row),
                ConcurrencyPolicy.valueOf(JpaBatchStore.text(row[8])),
                MisfirePolicy.valueOf(JpaBatchStore.text(row[9])),
                new Json(JpaBatchStore.text(row[10])),
                toPause(row),
                JpaScheduleStore.toInstant(row[14]),
                Boolean.TRUE.equals(row[15]),
                toLastRun(row),
                toSkippedRun(row),
                ((Number) Optional.ofNullable(row[21]).orElseThrow()).longValue(),
                JpaScheduleStore.toInstant(row[22]),
                Optional.ofNullable((String) row[25]).map(LosslessText::decode),
                Boolean.TRUE.equals(row[26]),
                toRows(row),
                toLastBatch(row));
    }

    private static Optional<ScheduleRows> toRows(@Nullable Object[] row) {
        return Optional.ofNullable((UUID) row[30])
                .map(file -> new ScheduleRows(
                        file,
                        JpaBatchStore.text(row[31]),
                        ((Number) Optional.ofNullable(row[32]).orElseThrow()).longValue(),
                        JpaBatchStore.text(row[33]),
                        JpaBatchStore.number(row[34]),
                        JpaBatchStore.number(row[35]),
                        LosslessText.decode(JpaBatchStore.text(row[36])),
                        JpaScheduleStore.toInstant(row[37])));
    }

    private static Optional<Schedule.LastScheduleBatch> toLastBatch(@Nullable Object[] row) {
        return Optional.ofNullable((UUID) row[27])
                .map(id -> new Schedule.LastScheduleBatch(
                        new BatchId(id),
                        JpaScheduleStore.toInstant(row[17]),
                        Optional.ofNullable((Number) row[28])
                                .map(total ->
                                        new Schedule.BatchSize(total.intValue(), JpaBatchStore.number(row[29])))));
    }

    private static Trigger toTrigger(@Nullable Object[] row) {
        return row[4] == null
                ? new Trigger.IntervalTrigger(
                        Duration.ofMillis(((Number) Optional.ofNullable(row[6]).orElseThrow()).longValue()),
                        JpaScheduleStore.toInstant(row[7]))
                : new Trigger.CronTrigger(
                        CronExpression.parse(JpaBatchStore.text(row[4])), ZoneId.of(JpaBatchStore.text(row[5])));
    }

    private static Optional<Schedule.SchedulePause> toPause(@Nullable Object[] row) {
        return Boolean.TRUE.equals(row[11])
                ? Optional.of(new Schedule.SchedulePause(
                        LosslessText.decode(
                                Optional.ofNullable((String) row[12]).orElse("")),
                        JpaScheduleStore.toInstant(row[13])))
                : Optional.empty();
    }

    private static Optional<Schedule.LastScheduleRun> toLastRun(@Nullable Object[] row) {
        return Optional.ofNullable((UUID) row[16])
                .map(id -> new Schedule.LastScheduleRun(
                        new ExecutionId(id),
                        JpaScheduleStore.toInstant(row[17]),
                        Optional.ofNullable((String) row[18]).map(ExecutionState::valueOf)));
    }

    private static Optional<Schedule.SkippedRun> toSkippedRun(@Nullable Object[] row) {
        Optional<Instant> at = Optional.ofNullable(row[19]).map(JpaScheduleStore::toInstant);
        return at.map(
                moment -> new Schedule.SkippedRun(moment, Schedule.SkipReason.valueOf(JpaBatchStore.text(row[20]))));
    }
}
