package org.sallyport.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;
import org.sallyport.tracecontext.TraceSampler;

/** Contract of {@link SpanOutbox}, for every implementation. Each test starts with an empty outbox. */
public abstract class SpanOutboxContract {
    private static final TraceContext CALLERS = TraceContext.of(
                    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=1,b=2")
            .orElseThrow();

    protected abstract SpanOutbox spans();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private ExecutionId accepted(TraceContext trace) {
        NewExecution execution = anExecution().trace(trace).build();
        store().insert(execution);
        return execution.id();
    }

    private ExecutionId ended(TraceContext trace) {
        ExecutionId id = accepted(trace);
        journal()
                .finish(
                        store().claim(id, "node").orElseThrow().fence(),
                        new ExecutionOutcome.ExecutionCompleted(Json.NULL),
                        JournalBatch.NONE);
        return id;
    }

    private List<ExecutionId> all(int limit) {
        List<ExecutionId> all = new ArrayList<>();
        Optional<ExecutionId> after = Optional.empty();
        do {
            SpanOutbox.OutboxPage page = spans().listEnded(after, Duration.ZERO, limit);
            all.addAll(page.executionIds());
            after = page.next();
        } while (after.isPresent());
        return all;
    }

    @Test
    void endedExecutionStaysInTheOutboxUntilMarkedSent() {
        ExecutionId live = accepted(CALLERS);
        ExecutionId ended = ended(CALLERS);

        assertThat(spans().retainUnsent(List.of(live, ended, ended))).containsExactly(ended);
        assertThat(all(10)).containsExactly(ended);
        spans().markSent(List.of(ended));
        assertThat(spans().retainUnsent(List.of(live, ended))).isEmpty();
        assertThat(all(10)).isEmpty();
        spans().markSent(List.of());
    }

    @Test
    void unsampledExecutionIsNotInTheOutboxAndKeepsItsTrace() {
        TraceContext quiet = TraceContext.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", null)
                .orElseThrow();
        ExecutionId ended = ended(quiet);

        assertThat(spans().retainUnsent(List.of(ended))).isEmpty();
        assertThat(spans().find(ended).orElseThrow().trace()).contains(quiet);
    }

    @Test
    void traceContextIsAvailableToClaimAndToFind() {
        ExecutionId id = accepted(CALLERS);
        TraceContext own = new TraceSampler(1)
                .startTrace(UUID.randomUUID(), Optional.empty())
                .orElseThrow();

        assertThat(store().claim(id, "node").orElseThrow().trace()).contains(CALLERS);
        assertThat(spans().find(id).orElseThrow().trace()).contains(CALLERS);
        assertThat(spans().find(accepted(own)).orElseThrow().trace()).contains(own);
        assertThat(spans().find(new ExecutionId(UUID.randomUUID()))).isEmpty();
    }

    @Test
    void endedExecutionsAreListedPageByPage() {
        List<ExecutionId> ended = IntStream.range(0, 7)
                .mapToObj(i -> {
                    accepted(CALLERS);
                    return ended(CALLERS);
                })
                .toList();

        assertThat(all(3)).containsExactlyInAnyOrderElementsOf(ended);
        assertThat(all(14)).containsExactlyInAnyOrderElementsOf(ended);
        assertThat(spans().listEnded(Optional.empty(), Duration.ofHours(1), 100).executionIds())
                .isEmpty();
    }

    @Test
    void dropUnsentRemovesOldEndedExecutionsAndKeepsLiveOnes() {
        ExecutionId live = accepted(CALLERS);
        List<ExecutionId> ended = List.of(ended(CALLERS), ended(CALLERS), ended(CALLERS));

        assertThat(spans().dropUnsent(Duration.ofHours(1), 10)).isZero();
        assertThat(spans().dropUnsent(Duration.ZERO, 2)).isEqualTo(2);
        assertThat(spans().dropUnsent(Duration.ZERO, 2)).isEqualTo(1);
        assertThat(spans().retainUnsent(ended)).isEmpty();
        journal()
                .finish(
                        store().claim(live, "node").orElseThrow().fence(),
                        new ExecutionOutcome.ExecutionCompleted(Json.NULL),
                        JournalBatch.NONE);
        assertThat(spans().retainUnsent(List.of(live))).containsExactly(live);
    }
}
