package org.sallyport.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Together;
import org.sallyport.schedule.ScheduleStore.Due;
import org.sallyport.tool.Json;

/** What every store of schedules must do. Each test finds it empty. */
public abstract class ScheduleStoreContract {
    private static final String TENANT = "t\u0000";
    private static final Duration HOLD = Duration.ofHours(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    protected abstract ScheduleStore schedules();

    protected abstract ExecutionStore store();

    /** Has a schedule's time have come some while ago. */
    protected abstract void age(ScheduleId id, Duration by) throws Exception;

    private static Timing hourly() {
        return new Timing.Every(Duration.ofHours(1), Instant.EPOCH);
    }

    private static NewSchedule a(String name, Timing timing, Overlap overlap) {
        return new NewSchedule(
                new ScheduleId(new UUID(0x7000L + NUMBER.incrementAndGet(), 7)),
                TENANT,
                "key\u0000",
                name,
                timing,
                overlap,
                CatchUp.LAST,
                new Json("{\"code\":\"return '\uD800'\"}"),
                false);
    }

    private ScheduleId created(Overlap overlap) {
        NewSchedule schedule = a("hourly", hourly(), overlap);
        assertThat(schedules().create(schedule, 10)).isEqualTo(Saved.STORED);
        return schedule.id();
    }

    private Schedule find(ScheduleId id) {
        return schedules().find(TENANT, id).orElseThrow();
    }

    private Due due(ScheduleId id) throws Exception {
        age(id, Duration.ofMinutes(61));
        List<Due> due = schedules().due(10);
        assertThat(due).hasSize(1);
        assertThat(due.get(0).schedule().id()).isEqualTo(id);
        return due.get(0);
    }

    private static NewExecution execution() {
        return anExecution().tenant(TENANT).build();
    }

    private Fired fire(Due due) {
        return fire(due, execution());
    }

    private Fired fire(Due due, NewExecution execution) {
        Turn.Run turn =
                new Turn.Run(due.schedule().dueAt(), due.schedule().timing().next(due.now()));
        return schedules().fire(due.schedule(), turn, execution, HOLD);
    }

    private List<ExecutionId> executions() {
        return store().list(TENANT, new ExecutionFilter(Set.of()), Optional.empty(), 10).items().stream()
                .map(ExecutionSummary::id)
                .toList();
    }

    @Test
    void aScheduleIsWhatWasWritten() {
        Timing nightly =
                new Timing.Cron(CronExpression.parse("0 3 * * MON-FRI"), ZoneId.of("America/Argentina/Ushuaia"));
        NewSchedule one = a("nightly", nightly, Overlap.CANCEL_PREVIOUS);
        NewSchedule other = a("hourly", hourly(), Overlap.QUEUE);
        assertThat(schedules().create(one, 2)).isEqualTo(Saved.STORED);
        assertThat(schedules().create(other, 2)).isEqualTo(Saved.STORED);

        Schedule found = find(one.id());
        assertThat(found.tenant()).isEqualTo(TENANT);
        assertThat(found.owner()).isEqualTo("key\u0000");
        assertThat(found.name()).isEqualTo("nightly");
        assertThat(found.timing()).isEqualTo(nightly);
        assertThat(found.overlap()).isEqualTo(Overlap.CANCEL_PREVIOUS);
        assertThat(found.catchUp()).isEqualTo(CatchUp.LAST);
        assertThat(found.request()).isEqualTo(new Json("{\"code\":\"return '\\ud800'\"}"));
        assertThat(found.pause()).isEmpty();
        assertThat(found.last()).isEmpty();
        assertThat(found.dueAt()).isEqualTo(nightly.next(found.createdAt()));

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
        assertThat(schedules().due(10)).isEmpty();
    }

    @Test
    void aTenantHasNoTwoOfOneNameAndNoMoreThanItMay() {
        ScheduleId id = created(Overlap.ALLOW);
        assertThat(schedules().create(a("hourly", hourly(), Overlap.ALLOW), 10)).isEqualTo(Saved.NAME_TAKEN);
        assertThat(schedules().create(a("other", hourly(), Overlap.ALLOW), 1)).isEqualTo(Saved.TOO_MANY);
        NewSchedule other = a("other", hourly(), Overlap.ALLOW);
        assertThat(schedules().create(other, 2)).isEqualTo(Saved.STORED);
        assertThat(schedules().replace(with(other.id(), "hourly"))).isEqualTo(Saved.NAME_TAKEN);
        assertThat(schedules().replace(with(id, "hourly"))).isEqualTo(Saved.STORED);
        assertThat(schedules().replace(with(new ScheduleId(new UUID(1, 1)), "third")))
                .isEqualTo(Saved.MISSING);
    }

    private static NewSchedule with(ScheduleId id, String name) {
        return new NewSchedule(
                id, TENANT, "another", name, hourly(), Overlap.SKIP, CatchUp.ALL, Json.EMPTY_OBJECT, false);
    }

    @Test
    void itsTimeIsSeenToOnceHoweverManyNodesLook() throws Exception {
        ScheduleId id = created(Overlap.ALLOW);
        Due due = due(id);
        List<Fired> fired = Together.run(6, i -> fire(due));
        assertThat(fired)
                .filteredOn(each -> each instanceof Fired.Begun)
                .singleElement()
                .satisfies(each -> assertThat(executions())
                        .containsExactly(((Fired.Begun) each).job().id()));
        assertThat(fired).filteredOn(each -> each instanceof Fired.Overtaken).hasSize(5);
        assertThat(schedules().due(10)).isEmpty();
        Schedule after = find(id);
        assertThat(after.last().orElseThrow().execution())
                .isEqualTo(executions().get(0));
        assertThat(after.last().orElseThrow().at()).isEqualTo(due.schedule().dueAt());
        assertThat(after.last().orElseThrow().state()).contains(ExecutionState.PENDING);
        assertThat(after.dueAt()).isEqualTo(due.schedule().timing().next(due.now()));
        assertThat(schedules().runs(id, Optional.empty(), 10))
                .containsExactly(new ScheduleStore.Run(
                        executions().get(0), Optional.of(due.schedule().dueAt()), ExecutionState.PENDING));
        assertThat(schedules().runs(id, Optional.of(executions().get(0)), 10)).isEmpty();
    }

    @Test
    void whatCannotBeStoredLeavesTheTimeDue() throws Exception {
        ScheduleId id = created(Overlap.ALLOW);
        Due due = due(id);
        NewExecution stored = execution();
        store().accept(stored);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> fire(due, stored))
                .isInstanceOf(RuntimeException.class);
        assertThat(schedules().due(10)).hasSize(1);
        assertThat(schedules().runs(id, Optional.empty(), 10)).isEmpty();
        assertThat(fire(due)).isInstanceOf(Fired.Begun.class);
    }

    @Test
    void aScheduleThatWasChangedMeanwhileDoesNotRunAsItWas() throws Exception {
        ScheduleId id = created(Overlap.ALLOW);
        Due due = due(id);
        assertThat(schedules().pause(TENANT, id, "enough\u0000")).isTrue();
        assertThat(fire(due)).isInstanceOf(Fired.Overtaken.class);
        assertThat(schedules().due(10)).isEmpty();
        assertThat(schedules().pause(TENANT, id, "again")).isTrue();
        assertThat(find(id).pause().orElseThrow().reason()).isEqualTo("enough\u0000");

        assertThat(schedules().resume(TENANT, id, "another")).isTrue();
        Schedule resumed = find(id);
        assertThat(resumed.pause()).isEmpty();
        assertThat(resumed.owner()).isEqualTo("another");
        assertThat(resumed.dueAt()).as("nothing is made up for").isAfter(due.now());
        assertThat(fire(due)).isInstanceOf(Fired.Overtaken.class);
        assertThat(executions()).isEmpty();

        assertThat(schedules().replace(with(id, "renamed"))).isEqualTo(Saved.STORED);
        assertThat(find(id).name()).isEqualTo("renamed");
        assertThat(find(id).owner()).isEqualTo("another");
        for (String stranger : List.of("other", "\u0000")) {
            assertThat(schedules().pause(stranger, id, "")).isFalse();
            assertThat(schedules().resume(stranger, id, "key")).isFalse();
            assertThat(schedules().delete(stranger, id)).isFalse();
            assertThat(schedules().run(stranger, id, execution())).isFalse();
        }
    }

    @Test
    void oneThatCannotRunIsPausedUnlessSomebodyChangedIt() throws Exception {
        ScheduleId id = created(Overlap.ALLOW);
        Schedule seen = due(id).schedule();
        schedules().replace(with(id, "hourly"));
        schedules().stop(seen, "too late");
        assertThat(find(id).pause()).isEmpty();
        schedules().stop(find(id), "the key is gone");
        assertThat(find(id).pause().orElseThrow().reason()).isEqualTo("the key is gone");
    }

    @Test
    void withSkipATimeIsLeftOutWhileAnExecutionHasNotEnded() throws Exception {
        ScheduleId id = created(Overlap.SKIP);
        assertThat(fire(due(id))).isInstanceOf(Fired.Begun.class);
        Due second = due(id);
        assertThat(fire(second)).isInstanceOf(Fired.LeftOut.class);
        assertThat(find(id).leftOut())
                .contains(new Schedule.LeftOut(second.schedule().dueAt(), Schedule.Why.OVERLAP));
        assertThat(executions()).hasSize(1);
        store().cancel(TENANT, executions().get(0));
        assertThat(fire(due(id))).isInstanceOf(Fired.Begun.class);
        assertThat(executions()).hasSize(2);
    }

    @Test
    void withQueueATimeWaitsForAnExecutionToEnd() throws Exception {
        ScheduleId id = created(Overlap.QUEUE);
        NewExecution asked = execution();
        assertThat(schedules().run(TENANT, id, asked)).isTrue();
        Due due = due(id);
        assertThat(fire(due)).isEqualTo(new Fired.Held(List.of(asked.id())));
        assertThat(schedules().due(10)).as("not looked at for a while").isEmpty();
        assertThat(find(id).held()).isTrue();
        assertThat(find(id).dueAt()).isEqualTo(due.schedule().dueAt());

        store().cancel(TENANT, asked.id());
        assertThat(fire(due)).isInstanceOf(Fired.Begun.class);
        assertThat(find(id).held()).isFalse();
        assertThat(schedules().runs(id, Optional.empty(), 10))
                .extracting(ScheduleStore.Run::at)
                .contains(Optional.empty(), Optional.of(due.schedule().dueAt()));
    }

    @Test
    void withAllowOneMoreRunsBesideIt() throws Exception {
        ScheduleId id = created(Overlap.ALLOW);
        assertThat(fire(due(id))).isInstanceOf(Fired.Begun.class);
        assertThat(fire(due(id))).isInstanceOf(Fired.Begun.class);
        assertThat(executions()).hasSize(2);
    }

    @Test
    void aTimeIsLeftOutOnce() throws Exception {
        ScheduleId id = created(Overlap.ALLOW);
        Due due = due(id);
        Turn.Leave leave =
                new Turn.Leave(due.schedule().dueAt(), due.schedule().timing().next(due.now()));
        schedules().leave(due.schedule(), leave);
        assertThat(find(id).leftOut())
                .contains(new Schedule.LeftOut(due.schedule().dueAt(), Schedule.Why.LATE));
        assertThat(fire(due)).isInstanceOf(Fired.Overtaken.class);
        schedules().leave(due.schedule(), leave);
        assertThat(schedules().due(10)).isEmpty();
    }

    @Test
    void whatIsPutOffIsNotFoundForAWhile() throws Exception {
        Due due = due(created(Overlap.ALLOW));
        schedules().later(due.schedule(), Duration.ofMinutes(1));
        assertThat(schedules().due(10)).isEmpty();
        assertThat(fire(due)).as("it is still due").isInstanceOf(Fired.Begun.class);
    }

    @Test
    void itsExecutionsOutliveIt() throws Exception {
        ScheduleId id = created(Overlap.ALLOW);
        Due due = due(id);
        fire(due);
        assertThat(schedules().delete(TENANT, id)).isTrue();
        assertThat(schedules().delete(TENANT, id)).isFalse();
        assertThat(fire(due)).isInstanceOf(Fired.Overtaken.class);
        assertThat(executions()).hasSize(1);
        assertThat(schedules().create(a("hourly", hourly(), Overlap.ALLOW), 1)).isEqualTo(Saved.STORED);
    }
}
