package org.sallyport.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Outcome;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.Sampler;
import org.sallyport.tracecontext.TraceContext;

/** What every store of spans that are yet to be sent must do. Each test finds it empty. */
public abstract class SpanStoreContract {
    private static final TraceContext CALLERS = TraceContext.of(
                    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=1,b=2")
            .orElseThrow();

    protected abstract SpanStore spans();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private ExecutionId accepted(TraceContext trace) {
        NewExecution execution = anExecution().trace(trace).build();
        store().accept(execution);
        return execution.id();
    }

    private ExecutionId ended(TraceContext trace) {
        ExecutionId id = accepted(trace);
        journal()
                .finish(
                        store().claim(id, "node").orElseThrow().fence(),
                        new Outcome.Completed(Json.NULL),
                        Entries.NONE);
        return id;
    }

    private List<ExecutionId> all(int limit) {
        List<ExecutionId> all = new ArrayList<>();
        Optional<ExecutionId> after = Optional.empty();
        do {
            SpanStore.Page page = spans().look(after, Duration.ZERO, limit);
            all.addAll(page.ended());
            after = page.next();
        } while (after.isPresent());
        return all;
    }

    @Test
    void whatHasEndedIsOwedUntilItIsTold() {
        ExecutionId live = accepted(CALLERS);
        ExecutionId ended = ended(CALLERS);

        assertThat(spans().owed(List.of(live, ended, ended))).containsExactly(ended);
        assertThat(all(10)).containsExactly(ended);
        spans().told(List.of(ended));
        assertThat(spans().owed(List.of(live, ended))).isEmpty();
        assertThat(all(10)).isEmpty();
        spans().told(List.of());
    }

    @Test
    void whatIsNotSampledIsNotOwedAndKeepsItsTrace() {
        TraceContext quiet = TraceContext.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", null)
                .orElseThrow();
        ExecutionId ended = ended(quiet);

        assertThat(spans().owed(List.of(ended))).isEmpty();
        assertThat(spans().find(ended).orElseThrow().trace()).contains(quiet);
    }

    @Test
    void itsTraceIsThereForWhoeverRunsItAndWhoeverReadsIt() {
        ExecutionId id = accepted(CALLERS);
        TraceContext own =
                new Sampler(1).begin(UUID.randomUUID(), Optional.empty()).orElseThrow();

        assertThat(store().claim(id, "node").orElseThrow().trace()).contains(CALLERS);
        assertThat(spans().find(id).orElseThrow().trace()).contains(CALLERS);
        assertThat(spans().find(accepted(own)).orElseThrow().trace()).contains(own);
        assertThat(spans().find(new ExecutionId(UUID.randomUUID()))).isEmpty();
    }

    @Test
    void thoseThatEndedAreFoundPageByPage() {
        List<ExecutionId> ended = IntStream.range(0, 7)
                .mapToObj(i -> {
                    accepted(CALLERS);
                    return ended(CALLERS);
                })
                .toList();

        assertThat(all(3)).containsExactlyInAnyOrderElementsOf(ended);
        assertThat(all(14)).containsExactlyInAnyOrderElementsOf(ended);
        assertThat(spans().look(Optional.empty(), Duration.ofHours(1), 100).ended())
                .isEmpty();
    }

    @Test
    void whatIsOldIsForgottenAndWhatIsLiveIsNot() {
        ExecutionId live = accepted(CALLERS);
        List<ExecutionId> ended = List.of(ended(CALLERS), ended(CALLERS), ended(CALLERS));

        assertThat(spans().forget(Duration.ofHours(1), 10)).isZero();
        assertThat(spans().forget(Duration.ZERO, 2)).isEqualTo(2);
        assertThat(spans().forget(Duration.ZERO, 2)).isEqualTo(1);
        assertThat(spans().owed(ended)).isEmpty();
        journal()
                .finish(
                        store().claim(live, "node").orElseThrow().fence(),
                        new Outcome.Completed(Json.NULL),
                        Entries.NONE);
        assertThat(spans().owed(List.of(live))).containsExactly(live);
    }
}
