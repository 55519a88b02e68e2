package org.sallyport.store;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.schedule.CatchUp;
import org.sallyport.schedule.CronExpression;
import org.sallyport.schedule.Overlap;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore.Due;
import org.sallyport.schedule.Timing;
import org.sallyport.tool.Json;

/** Makes schedules of the columns that {@link ScheduleStatements} reads. */
final class ScheduleRows {
    private ScheduleRows() {}

    static Due due(@Nullable Object[] row) {
        return new Due(schedule(row), JpaScheduleStore.instant(row[23]));
    }

    static Schedule schedule(@Nullable Object[] row) {
        return new Schedule(
                new ScheduleId(JpaBatchStore.uuid(row[0])),
                LosslessText.decode(JpaBatchStore.text(row[1])),
                LosslessText.decode(JpaBatchStore.text(row[2])),
                JpaBatchStore.text(row[3]),
                timing(row),
                Overlap.valueOf(JpaBatchStore.text(row[8])),
                CatchUp.valueOf(JpaBatchStore.text(row[9])),
                new Json(JpaBatchStore.text(row[10])),
                pause(row),
                JpaScheduleStore.instant(row[14]),
                Boolean.TRUE.equals(row[15]),
                last(row),
                leftOut(row),
                ((Number) Optional.ofNullable(row[21]).orElseThrow()).longValue(),
                JpaScheduleStore.instant(row[22]));
    }

    private static Timing timing(@Nullable Object[] row) {
        return row[4] == null
                ? new Timing.Every(
                        Duration.ofMillis(((Number) Optional.ofNullable(row[6]).orElseThrow()).longValue()),
                        JpaScheduleStore.instant(row[7]))
                : new Timing.Cron(
                        CronExpression.parse(JpaBatchStore.text(row[4])), ZoneId.of(JpaBatchStore.text(row[5])));
    }

    private static Optional<Schedule.Pause> pause(@Nullable Object[] row) {
        return Boolean.TRUE.equals(row[11])
                ? Optional.of(new Schedule.Pause(
                        LosslessText.decode(
                                Optional.ofNullable((String) row[12]).orElse("")),
                        JpaScheduleStore.instant(row[13])))
                : Optional.empty();
    }

    private static Optional<Schedule.LastRun> last(@Nullable Object[] row) {
        return Optional.ofNullable((UUID) row[16])
                .map(id -> new Schedule.LastRun(
                        new ExecutionId(id),
                        JpaScheduleStore.instant(row[17]),
                        Optional.ofNullable((String) row[18]).map(ExecutionState::valueOf)));
    }

    private static Optional<Schedule.LeftOut> leftOut(@Nullable Object[] row) {
        Optional<Instant> at = Optional.ofNullable(row[19]).map(JpaScheduleStore::instant);
        return at.map(moment -> new Schedule.LeftOut(moment, Schedule.Why.valueOf(JpaBatchStore.text(row[20]))));
    }
}
