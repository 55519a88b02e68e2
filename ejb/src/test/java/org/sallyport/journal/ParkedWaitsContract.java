package org.sallyport.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.event.EventStore;
import org.sallyport.execution.Cancellation;
import org.sallyport.execution.Claim;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Parking;
import org.sallyport.execution.Pause;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.Together;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** What every store must do for executions that are parked for events and tools. Each test finds the store empty. */
public abstract class ParkedWaitsContract {
    private static final String TENANT = "tenant-a";
    private static final Duration LONG = Duration.ofHours(1);

    private long calls;

    protected abstract EventStore events();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private Fence running() {
        NewExecution execution = anExecution().build();
        store().accept(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private Parking.Answer park(Fence fence, Parking.EventWait... events) {
        return journal()
                .park(fence, Entries.NONE, new Parking(Pause.Reason.EVENT, LONG, List.of(events), Optional.empty()));
    }

    private Parking.Answer parkForTool(Fence fence, String node) {
        return journal().park(fence, Entries.NONE, new Parking(Pause.Reason.TOOL, LONG, List.of(), Optional.of(node)));
    }

    private static Parking.EventWait event(String name, long after) {
        return new Parking.EventWait(name, after);
    }

    private EventStore.Emitted emit(Fence by, String name) {
        return events().emit(TENANT, by, ++calls, name, Json.NULL).orElseThrow();
    }

    private ExecutionState state(Fence fence) {
        return store().find(TENANT, fence.id()).orElseThrow().state();
    }

    @Test
    void eventWakesWhoIsParkedForItAndNobodyElse() {
        Fence emitter = running();
        Fence parked = running();
        Fence other = running();
        assertThat(park(parked, event("paid\u0000", 0), event("refused", 0))).isEqualTo(Parking.Answer.PARKED);
        assertThat(park(other, event("sent", 0))).isEqualTo(Parking.Answer.PARKED);

        EventStore.Emitted emitted = emit(emitter, "paid\u0000");

        assertThat(emitted).isEqualTo(new EventStore.Emitted(1, true));
        assertThat(events().wake(TENANT, "paid\u0000", 1, 10))
                .containsExactly(new PendingJob(parked.id(), TENANT, 4, parked.attempt()));
        assertThat(events().wake(TENANT, "paid\u0000", 1, 10)).isEmpty();
        assertThat(List.of(state(parked), state(other)))
                .containsExactly(ExecutionState.PENDING, ExecutionState.WAITING);
        assertThat(emit(emitter, "paid\u0000")).isEqualTo(new EventStore.Emitted(2, false));
        assertThat(events().wakeMissed(10)).isEmpty();
    }

    @Test
    void whoIsParkedAfterAnEventWaitsForTheNextOne() {
        Fence emitter = running();
        emit(emitter, "paid");
        Fence parked = running();

        assertThat(park(parked, event("paid", 1))).isEqualTo(Parking.Answer.PARKED);

        assertThat(events().wake(TENANT, "paid", 1, 10)).isEmpty();
        assertThat(emit(emitter, "paid").awaited()).isTrue();
        assertThat(events().wake(TENANT, "paid", 2, 10)).hasSize(1);
    }

    @Test
    void nobodyIsParkedForWhatIsThere() {
        emit(running(), "paid");
        Fence late = running();

        assertThat(park(late, event("sent", 0), event("paid", 0))).isEqualTo(Parking.Answer.EVENT_IS_THERE);

        assertThat(state(late)).isEqualTo(ExecutionState.RUNNING);
        assertThat(journal().append(late, Entries.NONE)).isTrue();
    }

    @Test
    void whatAnEmitterCouldNotSayIsFound() {
        Fence emitter = running();
        List<Fence> parked = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Fence each = running();
            assertThat(park(each, event("paid", 0))).isEqualTo(Parking.Answer.PARKED);
            parked.add(each);
        }
        emit(emitter, "paid");

        assertThat(events().wakeMissed(2)).hasSize(2);
        assertThat(events().wakeMissed(2)).hasSize(1);

        assertThat(parked).allMatch(each -> state(each) == ExecutionState.PENDING);
    }

    @Test
    void whoIsParkedWhileOneEmitsSeesTheEventOrIsSeen() throws Exception {
        for (int round = 0; round < 30; round++) {
            String name = "event " + round;
            Fence emitter = running();
            Fence parking = running();
            long call = round + 1_000L;
            List<Object> answers = Together.run(
                    2,
                    n -> n == 0
                            ? park(parking, event(name, 0))
                            : events().emit(TENANT, emitter, call, name, Json.NULL)
                                    .orElseThrow());
            boolean seen = answers.get(0) == Parking.Answer.EVENT_IS_THERE;
            boolean isSeen = ((EventStore.Emitted) answers.get(1)).awaited();
            assertThat(seen ^ isSeen).as(answers.toString()).isTrue();
        }
    }

    @Test
    void whoGoesOnForAnotherReasonWaitsForNoEventAnyMore() {
        Fence parked = running();
        park(parked, event("paid", 0));

        assertThat(store().wake(parked, Duration.ZERO)).isTrue();

        assertThat(store().wake(parked, Duration.ZERO)).isFalse();
        assertThat(emit(running(), "paid").awaited()).isFalse();
    }

    @Test
    void whoIsCancelledWaitsForNothingAnyMore() {
        Fence forEvent = running();
        Fence forTool = running();
        park(forEvent, event("paid", 0));
        parkForTool(forTool, "node.1");

        assertThat(store().cancel(TENANT, forEvent.id())).isEqualTo(new Cancellation.Done(false));
        assertThat(store().cancel(TENANT, forTool.id())).isEqualTo(new Cancellation.Done(true));

        assertThat(emit(running(), "paid").awaited()).isFalse();
        assertThat(store().wakeLost("other.1", 10)).isZero();
    }

    @Test
    void callsOfWhoIsCancelledEndInItsTrace() {
        Fence parked = running();
        ToolName reads = new ToolName("demo", "slow");
        ToolName changes = new ToolName("demo", "send_mail");
        Instant at = Instant.parse("2020-01-02T03:04:05Z");
        List<TraceEvent> made = List.of(
                new TraceEvent.ToolStarted(1, at, 1, reads, Json.NULL),
                new TraceEvent.ToolStarted(2, at, 2, reads, Json.NULL),
                new TraceEvent.ToolStarted(3, at, 3, changes, Json.NULL),
                new TraceEvent.ToolStarted(4, at, 4, changes, Json.NULL),
                new TraceEvent.ToolEnded(5, at, 2, reads, 5, 1, Optional.of(Json.NULL), Optional.empty()),
                new TraceEvent.Asked(6, at, 4, changes, UUID.randomUUID(), ApprovalKind.CALL));
        journal()
                .park(
                        parked,
                        new Entries(made, List.of(), false),
                        new Parking(Pause.Reason.TOOL, LONG, List.of(), Optional.of("node.1")));

        store().cancel(TENANT, parked.id(), tool -> tool.equals(changes));

        List<TraceEvent> all = journal().trace(parked.id(), 6, 100);
        assertThat(all).extracting(TraceEvent::seq).containsExactly(7L, 8L, 9L, 10L);
        assertThat(all.subList(0, 3)).allSatisfy(event -> {
            TraceEvent.ToolEnded ended = (TraceEvent.ToolEnded) event;
            assertThat(ended.error().map(ToolError::code))
                    .contains(ended.call() == 3 ? ToolErrorCode.OUTCOME_UNKNOWN : ToolErrorCode.CANCELLED);
            assertThat(ended.durationMillis()).isPositive();
            assertThat(ended.tool()).isEqualTo(ended.call() == 1 ? reads : changes);
        });
        assertThat(all.subList(0, 3))
                .extracting(event -> ((TraceEvent.ToolEnded) event).call())
                .containsExactly(1L, 3L, 4L);
        assertThat(((TraceEvent.StateChanged) all.get(3)).state()).isEqualTo(ExecutionState.CANCELLED);
    }

    @Test
    void whatWaitsForAnswersAtANodeThatIsGoneGoesOnElsewhere() {
        Fence parked = running();
        assertThat(parkForTool(parked, "gone.1")).isEqualTo(Parking.Answer.PARKED);

        assertThat(store().wakeLost("gone.1", 10))
                .as("its own node has the answers")
                .isZero();
        assertThat(store().wakeLost("other.1", 10)).isEqualTo(1);

        assertThat(state(parked)).isEqualTo(ExecutionState.PENDING);
        assertThat(store().overdueJobs(LONG, 10)).extracting(PendingJob::id).contains(parked.id());
    }

    @Test
    void whoWakesItsOwnIsAloneWithItForAWhileAndItsLimitGoesOn() {
        Fence parked = running();
        long before = store().find(TENANT, parked.id()).orElseThrow().limits().wallMillis();
        parkForTool(parked, "node.1");

        assertThat(store().wake(parked, LONG)).isTrue();

        assertThat(store().overdueJobs(LONG, 10)).isEmpty();
        Claim again = store().claim(parked.id(), "node.1").orElseThrow();
        assertThat(again.remainingMillis()).isLessThan(before);
    }
}
