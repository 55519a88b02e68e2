package org.sallyport.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NewExecution;
import org.sallyport.schedule.ScheduleStore.DueSchedule;
import org.sallyport.tool.Json;

/** Contract of {@link ScheduleStore}, for every implementation. Each test starts with an empty store. */
public abstract class ScheduleStoreContract {
    private static final String TENANT = "t\u0000";
    private static final Duration HOLD = Duration.ofHours(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    protected abstract ScheduleStore schedules();

    protected abstract ExecutionStore store();

    /** Moves the next fire time of a schedule into the past. */
    protected abstract void backdate(ScheduleId id, Duration by) throws Exception;

    private static Trigger hourly() {
        return new Trigger.IntervalTrigger(Duration.ofHours(1), Instant.EPOCH);
    }

    private static NewSchedule newSchedule(String name, Trigger timing, ConcurrencyPolicy overlap) {
        return new NewSchedule(
                new ScheduleId(new UUID(0x7000L + NUMBER.incrementAndGet(), 7)),
                TENANT,
                "key\u0000",
                name,
                timing,
                overlap,
                MisfirePolicy.LAST,
                new Json("{\"code\":\"return '\uD800'\"}"),
                false,
                false);
    }

    private ScheduleId created(ConcurrencyPolicy overlap) {
        NewSchedule schedule = newSchedule("hourly", hourly(), overlap);
        assertThat(schedules().create(schedule, 10)).isEqualTo(SaveResult.STORED);
        return schedule.id();
    }

    private Schedule find(ScheduleId id) {
        return schedules().find(TENANT, id).orElseThrow();
    }

    private DueSchedule due(ScheduleId id) throws Exception {
        backdate(id, Duration.ofMinutes(61));
        List<DueSchedule> due = schedules().findDue(10);
        assertThat(due).hasSize(1);
        assertThat(due.get(0).schedule().id()).isEqualTo(id);
        return due.get(0);
    }

    private static NewExecution execution() {
        return anExecution().tenant(TENANT).build();
    }

    private FireResult fire(DueSchedule due) {
        return fire(due, execution());
    }

    private FireResult fire(DueSchedule due, NewExecution execution) {
        FireDecision.FireNow turn = new FireDecision.FireNow(
                due.schedule().dueAt(), due.schedule().trigger().nextAfter(due.now()));
        return schedules().fire(due.schedule(), turn, execution, HOLD);
    }

    private List<ExecutionId> executions() {
        return store().list(TENANT, new ExecutionFilter(Set.of()), Optional.empty(), 10).items().stream()
                .map(ExecutionSummary::id)
                .toList();
    }

    @Test
    void scheduleRoundTrips() {
        Trigger nightly = new Trigger.CronTrigger(
                CronExpression.parse("0 3 * * MON-FRI"), ZoneId.of("America/Argentina/Ushuaia"));
        NewSchedule one = newSchedule("nightly", nightly, ConcurrencyPolicy.CANCEL_PREVIOUS);
        NewSchedule other = newSchedule("hourly", hourly(), ConcurrencyPolicy.QUEUE);
        assertThat(schedules().create(one, 2)).isEqualTo(SaveResult.STORED);
        assertThat(schedules().create(other, 2)).isEqualTo(SaveResult.STORED);

        Schedule found = find(one.id());
        assertThat(found.tenant()).isEqualTo(TENANT);
        assertThat(found.owner()).isEqualTo("key\u0000");
        assertThat(found.creator()).isEqualTo("key\u0000");
        assertThat(found.name()).isEqualTo("nightly");
        assertThat(found.trigger()).isEqualTo(nightly);
        assertThat(found.concurrencyPolicy()).isEqualTo(ConcurrencyPolicy.CANCEL_PREVIOUS);
        assertThat(found.misfirePolicy()).isEqualTo(MisfirePolicy.LAST);
        assertThat(found.request()).isEqualTo(new Json("{\"code\":\"return '\\ud800'\"}"));
        assertThat(found.pause()).isEmpty();
        assertThat(found.lastRun()).isEmpty();
        assertThat(found.dueAt()).isEqualTo(nightly.nextAfter(found.createdAt()));

        Schedule often = find(other.id());
        assertThat(often.dueAt()).isEqualTo(often.createdAt().plus(Duration.ofHours(1)));
        assertThat(schedules().find("other", one.id())).isEmpty();
        assertThat(schedules().list(TENANT, Optional.empty(), 10))
                .extracting(Schedule::id)
                .containsExactly(other.id(), one.id());
        assertThat(schedules().list(TENANT, Optional.of(other.id()), 10))
                .extracting(Schedule::id)
                .containsExactly(one.id());
        assertThat(schedules().list("other", Optional.empty(), 10)).isEmpty();
        assertThat(schedules().findDue(10)).isEmpty();
    }

    @Test
    void scheduleNamesAreUniqueAndTheirNumberLimited() {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        assertThat(schedules().create(newSchedule("hourly", hourly(), ConcurrencyPolicy.ALLOW), 10))
                .isEqualTo(SaveResult.NAME_TAKEN);
        assertThat(schedules().create(newSchedule("other", hourly(), ConcurrencyPolicy.ALLOW), 1))
                .isEqualTo(SaveResult.TOO_MANY);
        NewSchedule other = newSchedule("other", hourly(), ConcurrencyPolicy.ALLOW);
        assertThat(schedules().create(other, 2)).isEqualTo(SaveResult.STORED);
        assertThat(schedules().replace(replacement(other.id(), "hourly"))).isEqualTo(SaveResult.NAME_TAKEN);
        assertThat(schedules().replace(replacement(id, "hourly"))).isEqualTo(SaveResult.STORED);
        assertThat(schedules().replace(replacement(new ScheduleId(new UUID(1, 1)), "third")))
                .isEqualTo(SaveResult.MISSING);
    }

    private static NewSchedule replacement(ScheduleId id, String name) {
        return replacement(id, name, hourly());
    }

    private static NewSchedule replacement(ScheduleId id, String name, Trigger timing) {
        return replacement(id, name, timing, ConcurrencyPolicy.SKIP);
    }

    private static NewSchedule replacement(ScheduleId id, String name, Trigger timing, ConcurrencyPolicy overlap) {
        return new NewSchedule(
                id, TENANT, "another", name, timing, overlap, MisfirePolicy.ALL, Json.EMPTY_OBJECT, false, false);
    }

    @Test
    void dueTimeFiresOnceAcrossNodes() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        DueSchedule due = due(id);
        List<FireResult> fired = ConcurrencyTestUtil.runConcurrently(6, i -> fire(due));
        assertThat(fired)
                .filteredOn(each -> each instanceof FireResult.ScheduleFired)
                .singleElement()
                .satisfies(each -> assertThat(executions())
                        .containsExactly(((FireResult.ScheduleFired) each).job().id()));
        assertThat(fired)
                .filteredOn(each -> each instanceof FireResult.FireSuperseded)
                .hasSize(5);
        assertThat(schedules().findDue(10)).isEmpty();
        Schedule after = find(id);
        assertThat(after.lastRun().orElseThrow().execution())
                .isEqualTo(executions().get(0));
        assertThat(after.lastRun().orElseThrow().at()).isEqualTo(due.schedule().dueAt());
        assertThat(after.lastRun().orElseThrow().state()).contains(ExecutionState.PENDING);
        assertThat(after.dueAt()).isEqualTo(due.schedule().trigger().nextAfter(due.now()));
        assertThat(schedules().listRuns(id, Optional.empty(), 10))
                .containsExactly(new ScheduleStore.ScheduleRun(
                        executions().get(0), Optional.of(due.schedule().dueAt()), ExecutionState.PENDING));
        assertThat(schedules().listRuns(id, Optional.of(executions().get(0)), 10))
                .isEmpty();
    }

    @Test
    void failedInsertLeavesTheTimeDue() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        DueSchedule due = due(id);
        NewExecution stored = execution();
        store().insert(stored);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> fire(due, stored))
                .isInstanceOf(RuntimeException.class);
        assertThat(schedules().findDue(10)).hasSize(1);
        assertThat(schedules().listRuns(id, Optional.empty(), 10)).isEmpty();
        assertThat(fire(due)).isInstanceOf(FireResult.ScheduleFired.class);
    }

    @Test
    void changedScheduleSupersedesAnEarlierFire() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        DueSchedule due = due(id);
        assertThat(schedules().pause(TENANT, id, "enough\u0000")).isTrue();
        assertThat(fire(due)).isInstanceOf(FireResult.FireSuperseded.class);
        assertThat(schedules().findDue(10)).isEmpty();
        assertThat(schedules().pause(TENANT, id, "again")).isTrue();
        assertThat(find(id).pause().orElseThrow().reason()).isEqualTo("enough\u0000");

        assertThat(schedules().resume(TENANT, id, "another")).isTrue();
        Schedule resumed = find(id);
        assertThat(resumed.pause()).isEmpty();
        assertThat(resumed.owner()).isEqualTo("another");
        assertThat(resumed.dueAt()).as("nothing is made up for").isAfter(due.now());
        assertThat(fire(due)).isInstanceOf(FireResult.FireSuperseded.class);
        assertThat(executions()).isEmpty();

        assertThat(schedules().replace(replacement(id, "renamed"))).isEqualTo(SaveResult.STORED);
        assertThat(find(id).name()).isEqualTo("renamed");
        assertThat(find(id).owner()).isEqualTo("another");
        for (String stranger : List.of("other", "\u0000")) {
            assertThat(schedules().pause(stranger, id, "")).isFalse();
            assertThat(schedules().resume(stranger, id, "key")).isFalse();
            assertThat(schedules().delete(stranger, id)).isFalse();
            assertThat(schedules().runNow(stranger, id, execution())).isFalse();
        }
    }

    @Test
    void unchangedReplacementChangesNothing() throws Exception {
        NewSchedule schedule = newSchedule("hourly", hourly(), ConcurrencyPolicy.ALLOW);
        assertThat(schedules().create(schedule, 10)).isEqualTo(SaveResult.STORED);
        DueSchedule due = due(schedule.id());

        assertThat(schedules().replace(schedule)).isEqualTo(SaveResult.STORED);

        assertThat(find(schedule.id())).isEqualTo(due.schedule());
        assertThat(fire(due)).as("a firing that had begun").isInstanceOf(FireResult.ScheduleFired.class);
    }

    @Test
    void replacementWithTheSameTriggerKeepsItsTimes() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        Schedule before = due(id).schedule();

        assertThat(schedules().replace(replacement(id, "renamed"))).isEqualTo(SaveResult.STORED);

        Schedule after = find(id);
        assertThat(after.name()).isEqualTo("renamed");
        assertThat(after.version()).isGreaterThan(before.version());
        assertThat(after.trigger()).isEqualTo(before.trigger());
        assertThat(after.dueAt()).isEqualTo(before.dueAt());
        List<DueSchedule> stillDue = schedules().findDue(10);
        assertThat(stillDue).hasSize(1);
        assertThat(fire(stillDue.get(0))).isInstanceOf(FireResult.ScheduleFired.class);
    }

    @Test
    void replacementWithAnotherTriggerStartsAnew() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        DueSchedule due = due(id);
        NewSchedule other = replacement(id, "hourly", new Trigger.IntervalTrigger(Duration.ofHours(2), Instant.EPOCH));

        assertThat(schedules().replace(other)).isEqualTo(SaveResult.STORED);

        Schedule after = find(id);
        Instant start = ((Trigger.IntervalTrigger) after.trigger()).start();
        assertThat(start).isAfterOrEqualTo(due.now());
        assertThat(after.dueAt()).isEqualTo(start.plus(Duration.ofHours(2)));
        assertThat(schedules().findDue(10)).isEmpty();
    }

    private static Trigger cron(String expression, String zone) {
        return new Trigger.CronTrigger(CronExpression.parse(expression), ZoneId.of(zone));
    }

    @Test
    void cronTriggerIsTheSameWithTheSameExpressionAndZone() throws Exception {
        NewSchedule schedule = newSchedule("hourly", cron("0 * * * *", "Europe/Berlin"), ConcurrencyPolicy.ALLOW);
        ScheduleId id = schedule.id();
        assertThat(schedules().create(schedule, 10)).isEqualTo(SaveResult.STORED);
        Schedule before = due(id).schedule();

        assertThat(schedules().replace(replacement(id, "renamed", cron("0 * * * *", "Europe/Berlin"))))
                .isEqualTo(SaveResult.STORED);
        assertThat(find(id).dueAt()).isEqualTo(before.dueAt());

        for (Trigger other : List.of(cron("0 * * * *", "Asia/Kolkata"), cron("20 * * * *", "Asia/Kolkata"))) {
            DueSchedule due = due(id);
            assertThat(schedules().replace(replacement(id, "renamed", other))).isEqualTo(SaveResult.STORED);
            assertThat(find(id).trigger()).isEqualTo(other);
            assertThat(find(id).dueAt()).isAfter(due.now());
            assertThat(schedules().findDue(10)).isEmpty();
        }
    }

    @Test
    void scheduleThatWaitsForAnExecutionWaitsAgainAfterAReplacement() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.QUEUE);
        NewExecution asked = execution();
        assertThat(schedules().runNow(TENANT, id, asked)).isTrue();
        DueSchedule due = due(id);
        assertThat(fire(due)).isInstanceOf(FireResult.FireDeferred.class);

        assertThat(schedules().replace(replacement(id, "renamed", hourly(), ConcurrencyPolicy.QUEUE)))
                .isEqualTo(SaveResult.STORED);

        assertThat(find(id).waitingForPrevious()).isFalse();
        assertThat(find(id).dueAt()).isEqualTo(due.schedule().dueAt());
        List<DueSchedule> stillDue = schedules().findDue(10);
        assertThat(stillDue).as("checked at once").hasSize(1);
        assertThat(fire(stillDue.get(0))).isEqualTo(new FireResult.FireDeferred(List.of(asked.id()), List.of()));
        assertThat(find(id).waitingForPrevious()).isTrue();
        store().cancel(TENANT, asked.id());
        assertThat(fire(stillDue.get(0))).isInstanceOf(FireResult.ScheduleFired.class);
    }

    @Test
    void replacementOfAPausedScheduleMakesUpForNothing() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        Schedule before = due(id).schedule();
        assertThat(schedules().pause(TENANT, id, "")).isTrue();

        assertThat(schedules().replace(replacement(id, "hourly"))).isEqualTo(SaveResult.STORED);

        Schedule after = find(id);
        assertThat(after.pause()).isEmpty();
        assertThat(after.trigger()).isEqualTo(before.trigger());
        assertThat(after.dueAt()).isAfter(before.dueAt());
        assertThat(schedules().findDue(10)).isEmpty();
    }

    @Test
    void failingScheduleIsPausedUnlessItWasChanged() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        Schedule seen = due(id).schedule();
        schedules().replace(replacement(id, "hourly"));
        schedules().pauseIfUnchanged(seen, "too late");
        assertThat(find(id).pause()).isEmpty();
        schedules().pauseIfUnchanged(find(id), "the key is gone");
        assertThat(find(id).pause().orElseThrow().reason()).isEqualTo("the key is gone");
    }

    @Test
    void skipPolicySkipsATimeWhileAnExecutionRuns() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.SKIP);
        assertThat(fire(due(id))).isInstanceOf(FireResult.ScheduleFired.class);
        DueSchedule second = due(id);
        assertThat(fire(second)).isInstanceOf(FireResult.FireSkipped.class);
        assertThat(find(id).lastSkipped())
                .contains(new Schedule.SkippedRun(second.schedule().dueAt(), Schedule.SkipReason.OVERLAP));
        assertThat(executions()).hasSize(1);
        store().cancel(TENANT, executions().get(0));
        assertThat(fire(due(id))).isInstanceOf(FireResult.ScheduleFired.class);
        assertThat(executions()).hasSize(2);
    }

    @Test
    void queuePolicyDefersATimeUntilTheExecutionEnds() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.QUEUE);
        NewExecution asked = execution();
        assertThat(schedules().runNow(TENANT, id, asked)).isTrue();
        DueSchedule due = due(id);
        assertThat(fire(due)).isEqualTo(new FireResult.FireDeferred(List.of(asked.id()), List.of()));
        assertThat(schedules().findDue(10)).as("not looked at for a while").isEmpty();
        assertThat(find(id).waitingForPrevious()).isTrue();
        assertThat(find(id).dueAt()).isEqualTo(due.schedule().dueAt());

        store().cancel(TENANT, asked.id());
        assertThat(fire(due)).isInstanceOf(FireResult.ScheduleFired.class);
        assertThat(find(id).waitingForPrevious()).isFalse();
        assertThat(schedules().listRuns(id, Optional.empty(), 10))
                .extracting(ScheduleStore.ScheduleRun::at)
                .contains(Optional.empty(), Optional.of(due.schedule().dueAt()));
    }

    @Test
    void allowPolicyRunsExecutionsConcurrently() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        assertThat(fire(due(id))).isInstanceOf(FireResult.ScheduleFired.class);
        assertThat(fire(due(id))).isInstanceOf(FireResult.ScheduleFired.class);
        assertThat(executions()).hasSize(2);
    }

    @Test
    void skippedTimeIsSkippedOnce() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        DueSchedule due = due(id);
        FireDecision.SkipFire skip = new FireDecision.SkipFire(
                due.schedule().dueAt(), due.schedule().trigger().nextAfter(due.now()));
        schedules().skip(due.schedule(), skip, Schedule.SkipReason.LATE);
        assertThat(find(id).lastSkipped())
                .contains(new Schedule.SkippedRun(due.schedule().dueAt(), Schedule.SkipReason.LATE));
        assertThat(fire(due)).isInstanceOf(FireResult.FireSuperseded.class);
        schedules().skip(due.schedule(), skip, Schedule.SkipReason.LATE);
        assertThat(schedules().findDue(10)).isEmpty();
    }

    @Test
    void postponedScheduleIsNotDueForAWhile() throws Exception {
        DueSchedule due = due(created(ConcurrencyPolicy.ALLOW));
        ScheduleId id = due.schedule().id();
        schedules().postpone(due.schedule(), Duration.ofMinutes(1), "no key\u0000");
        assertThat(schedules().findDue(10)).isEmpty();
        assertThat(find(id).delayReason()).contains("no key\u0000");
        assertThat(find(id).pause()).isEmpty();
        assertThat(find(id).dueAt()).isEqualTo(due.schedule().dueAt());
        assertThat(fire(due)).as("it is still due").isInstanceOf(FireResult.ScheduleFired.class);
        assertThat(find(id).delayReason()).isEmpty();
    }

    @Test
    void executionsOutliveADeletedSchedule() throws Exception {
        ScheduleId id = created(ConcurrencyPolicy.ALLOW);
        DueSchedule due = due(id);
        fire(due);
        assertThat(schedules().delete(TENANT, id)).isTrue();
        assertThat(schedules().delete(TENANT, id)).isFalse();
        assertThat(fire(due)).isInstanceOf(FireResult.FireSuperseded.class);
        assertThat(executions()).hasSize(1);
        assertThat(schedules().create(newSchedule("hourly", hourly(), ConcurrencyPolicy.ALLOW), 1))
                .isEqualTo(SaveResult.STORED);
    }
}
