package org.sallyport.submission;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.MisfirePolicy;
import org.sallyport.schedule.NewSchedule;
import org.sallyport.schedule.SaveResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.Trigger;
import org.sallyport.tool.Json;

/** Has some schedules that are due, one by default, and records how they are handled. */
final class RecordingScheduleStore implements ScheduleStore {
    static final Instant DUE = Instant.parse("2026-06-08T18:00:00Z");

    final List<String> pauses = new ArrayList<>();
    final List<String> delays = new ArrayList<>();
    final List<Duration> waits = new ArrayList<>();
    final List<Schedule.SkipReason> skips = new ArrayList<>();
    String owner = "key";
    boolean runsBatch;
    int count = 1;
    int maxRequested;
    /** Schedules that are not due any more. */
    final Set<ScheduleId> handled = new HashSet<>();

    Optional<ScheduleRows> rows = Optional.empty();

    @Override
    public List<DueSchedule> findDue(int limit) {
        maxRequested = Math.max(maxRequested, limit);
        return IntStream.range(0, count)
                .mapToObj(number -> new DueSchedule(schedule(number), DUE))
                .filter(due -> !handled.contains(due.schedule().id()))
                .limit(limit)
                .toList();
    }

    @Override
    public void postpone(Schedule seen, Duration wait, String reason) {
        handled.add(seen.id());
        delays.add(reason);
        waits.add(wait);
    }

    @Override
    public void pauseIfUnchanged(Schedule seen, String reason) {
        handled.add(seen.id());
        pauses.add(reason);
    }

    @Override
    public SaveResult create(NewSchedule schedule, int maxSchedules) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SaveResult replace(NewSchedule schedule) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Schedule> find(String tenant, ScheduleId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Schedule> list(String tenant, Optional<ScheduleId> before, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean delete(String tenant, ScheduleId id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean pause(String tenant, ScheduleId id, String reason) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean resume(String tenant, ScheduleId id, String newOwner) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FireResult fire(Schedule seen, FireDecision.FireNow turn, NewExecution execution, Duration hold) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void skip(Schedule seen, FireDecision.SkipFire turn, Schedule.SkipReason reason) {
        handled.add(seen.id());
        skips.add(reason);
    }

    @Override
    public boolean runNow(String tenant, ScheduleId id, NewExecution execution) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ScheduleRun> listRuns(ScheduleId id, Optional<ExecutionId> before, int limit) {
        throw new UnsupportedOperationException();
    }

    private Schedule schedule(int number) {
        return schedule(number, "acme", owner, ConcurrencyPolicy.SKIP, runsBatch, rows);
    }

    /** Returns a schedule that is due at {@link #DUE}. */
    static Schedule schedule(
            int number,
            String tenant,
            String owner,
            ConcurrencyPolicy overlap,
            boolean runsBatch,
            Optional<ScheduleRows> rows) {
        return new Schedule(
                new ScheduleId(new UUID(7, number)),
                tenant,
                owner,
                owner,
                "nightly-" + number,
                new Trigger.IntervalTrigger(Duration.ofHours(1), DUE.minus(Duration.ofHours(1))),
                overlap,
                MisfirePolicy.LAST,
                new Json("{\"capability\":\"c\",\"durability\":\"journal\"}"),
                Optional.empty(),
                DUE,
                false,
                Optional.empty(),
                Optional.empty(),
                0,
                DUE.minus(Duration.ofHours(1)),
                Optional.empty(),
                runsBatch,
                rows,
                Optional.empty());
    }
}
