package org.sallyport.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.event.EventStore;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CancelResult;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.execution.Suspension;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/**
 * Contract of every store for executions that are parked for events and tools. Each test starts with an empty store.
 */
public abstract class WaitRegistrationContract {
    private static final String TENANT = "tenant-a";
    private static final Duration LONG = Duration.ofHours(1);

    private long calls;

    protected abstract EventStore events();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private FencingToken running() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence();
    }

    private SuspendRequest.SuspendResult park(FencingToken fence, SuspendRequest.EventWait... events) {
        return journal()
                .park(
                        fence,
                        JournalBatch.NONE,
                        new SuspendRequest(Suspension.SuspensionReason.EVENT, LONG, List.of(events), Optional.empty()));
    }

    private SuspendRequest.SuspendResult parkForTool(FencingToken fence, String node) {
        return journal()
                .park(
                        fence,
                        JournalBatch.NONE,
                        new SuspendRequest(Suspension.SuspensionReason.TOOL, LONG, List.of(), Optional.of(node)));
    }

    private static SuspendRequest.EventWait event(String name, long after) {
        return new SuspendRequest.EventWait(name, after);
    }

    private EventStore.EmittedEvent emit(FencingToken by, String name) {
        return events().emit(TENANT, by, ++calls, name, Json.NULL).orElseThrow();
    }

    private ExecutionState state(FencingToken fence) {
        return store().find(TENANT, fence.id()).orElseThrow().state();
    }

    @Test
    void eventResumesOnlyExecutionsParkedForIt() {
        FencingToken emitter = running();
        FencingToken parked = running();
        FencingToken other = running();
        assertThat(park(parked, event("paid\u0000", 0), event("refused", 0)))
                .isEqualTo(SuspendRequest.SuspendResult.PARKED);
        assertThat(park(other, event("sent", 0))).isEqualTo(SuspendRequest.SuspendResult.PARKED);

        EventStore.EmittedEvent emitted = emit(emitter, "paid\u0000");

        assertThat(emitted).isEqualTo(new EventStore.EmittedEvent(1, true));
        assertThat(events().resumeParked(TENANT, "paid\u0000", 1, 10))
                .containsExactly(new ExecutionJob(parked.id(), TENANT, 4, parked.attempt()));
        assertThat(events().resumeParked(TENANT, "paid\u0000", 1, 10)).isEmpty();
        assertThat(List.of(state(parked), state(other)))
                .containsExactly(ExecutionState.PENDING, ExecutionState.WAITING);
        assertThat(emit(emitter, "paid\u0000")).isEqualTo(new EventStore.EmittedEvent(2, false));
        assertThat(events().resumeMissed(10)).isEmpty();
    }

    @Test
    void executionParkedAfterAnEventWaitsForTheNextOne() {
        FencingToken emitter = running();
        emit(emitter, "paid");
        FencingToken parked = running();

        assertThat(park(parked, event("paid", 1))).isEqualTo(SuspendRequest.SuspendResult.PARKED);

        assertThat(events().resumeParked(TENANT, "paid", 1, 10)).isEmpty();
        assertThat(emit(emitter, "paid").hasParkedWaiter()).isTrue();
        assertThat(events().resumeParked(TENANT, "paid", 2, 10)).hasSize(1);
    }

    @Test
    void executionIsNotParkedForAnExistingEvent() {
        emit(running(), "paid");
        FencingToken late = running();

        assertThat(park(late, event("sent", 0), event("paid", 0)))
                .isEqualTo(SuspendRequest.SuspendResult.EVENT_IS_THERE);

        assertThat(state(late)).isEqualTo(ExecutionState.RUNNING);
        assertThat(journal().append(late, JournalBatch.NONE)).isTrue();
    }

    @Test
    void missedWakeUpsAreFoundInBatches() {
        FencingToken emitter = running();
        List<FencingToken> parked = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FencingToken each = running();
            assertThat(park(each, event("paid", 0))).isEqualTo(SuspendRequest.SuspendResult.PARKED);
            parked.add(each);
        }
        emit(emitter, "paid");

        assertThat(events().resumeMissed(2)).hasSize(2);
        assertThat(events().resumeMissed(2)).hasSize(1);

        assertThat(parked).allMatch(each -> state(each) == ExecutionState.PENDING);
    }

    @Test
    void concurrentParkAndEmitNeverMissEachOther() throws Exception {
        for (int round = 0; round < 30; round++) {
            String name = "event " + round;
            FencingToken emitter = running();
            FencingToken parking = running();
            long call = round + 1_000L;
            List<Object> answers = ConcurrencyTestUtil.runConcurrently(
                    2,
                    n -> n == 0
                            ? park(parking, event(name, 0))
                            : events().emit(TENANT, emitter, call, name, Json.NULL)
                                    .orElseThrow());
            boolean seen = answers.get(0) == SuspendRequest.SuspendResult.EVENT_IS_THERE;
            boolean isSeen = ((EventStore.EmittedEvent) answers.get(1)).hasParkedWaiter();
            assertThat(seen ^ isSeen).as(answers.toString()).isTrue();
        }
    }

    @Test
    void executionResumedForAnotherReasonNoLongerWaitsForTheEvent() {
        FencingToken parked = running();
        park(parked, event("paid", 0));

        assertThat(store().resumeDue(parked, Duration.ZERO)).isTrue();

        assertThat(store().resumeDue(parked, Duration.ZERO)).isFalse();
        assertThat(emit(running(), "paid").hasParkedWaiter()).isFalse();
    }

    @Test
    void cancelledExecutionNoLongerWaits() {
        FencingToken forEvent = running();
        FencingToken forTool = running();
        park(forEvent, event("paid", 0));
        parkForTool(forTool, "node.1");

        assertThat(store().cancel(TENANT, forEvent.id())).isEqualTo(new CancelResult.CancelledImmediately(false));
        assertThat(store().cancel(TENANT, forTool.id())).isEqualTo(new CancelResult.CancelledImmediately(true));

        assertThat(emit(running(), "paid").hasParkedWaiter()).isFalse();
        assertThat(store().resumeOrphanedWaits("other.1", 10)).isZero();
    }

    @Test
    void openCallsOfACancelledParkedExecutionEndInItsTrace() {
        FencingToken parked = running();
        ToolName reads = new ToolName("demo", "slow");
        ToolName changes = new ToolName("demo", "send_mail");
        Instant at = Instant.parse("2020-01-02T03:04:05Z");
        List<TraceEvent> events = List.of(
                new TraceEvent.ToolStarted(1, at, 1, reads, Json.NULL),
                new TraceEvent.ToolStarted(2, at, 2, reads, Json.NULL),
                new TraceEvent.ToolStarted(3, at, 3, changes, Json.NULL),
                new TraceEvent.ToolStarted(4, at, 4, changes, Json.NULL),
                new TraceEvent.ToolEnded(5, at, 2, reads, 5, 1, Optional.of(Json.NULL), Optional.empty()),
                new TraceEvent.ApprovalRequested(6, at, 4, changes, UUID.randomUUID(), ApprovalKind.CALL));
        journal()
                .park(
                        parked,
                        new JournalBatch(events, List.of(), false),
                        new SuspendRequest(Suspension.SuspensionReason.TOOL, LONG, List.of(), Optional.of("node.1")));

        store().cancel(TENANT, parked.id(), CancelRequest.ofService("test"), tool -> tool.equals(changes));

        List<TraceEvent> all = journal().readTrace(parked.id(), 6, 100);
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
    void waitForToolRepliesAtALostNodeIsResumedElsewhere() {
        FencingToken parked = running();
        assertThat(parkForTool(parked, "gone.1")).isEqualTo(SuspendRequest.SuspendResult.PARKED);

        assertThat(store().resumeOrphanedWaits("gone.1", 10))
                .as("its own node has the answers")
                .isZero();
        assertThat(store().resumeOrphanedWaits("other.1", 10)).isEqualTo(1);

        assertThat(state(parked)).isEqualTo(ExecutionState.PENDING);
        assertThat(store().overdueJobs(LONG, 10)).extracting(ExecutionJob::id).contains(parked.id());
    }

    @Test
    void nodeThatResumesItsOwnExecutionHasItExclusivelyForAWhile() {
        FencingToken parked = running();
        long before = store().find(TENANT, parked.id()).orElseThrow().limits().wallMillis();
        parkForTool(parked, "node.1");

        assertThat(store().resumeDue(parked, LONG)).isTrue();

        assertThat(store().overdueJobs(LONG, 10)).isEmpty();
        ClaimedExecution resumed = store().claim(parked.id(), "node.1").orElseThrow();
        assertThat(resumed.remainingMillis()).isLessThan(before);
    }
}
