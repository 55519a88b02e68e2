package org.sallyport.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.otlp.FinishedSpan;
import org.sallyport.otlp.SpanSender;
import org.sallyport.redaction.Redactor;
import org.sallyport.store.jpa.SpanTestDatabase;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tracecontext.SpanIdGenerator;
import org.sallyport.tracecontext.TraceContext;
import org.sallyport.tracecontext.TraceSampler;

/** Exports from a real database to a collector that accepts, refuses, fails or does not answer. */
class SpanExporterTest {
    private static final Duration DROP_AFTER = Duration.ofHours(1);
    private static final SpanSender.ExportResult BUSY =
            new SpanSender.ExportResult(SpanSender.ExportOutcome.AGAIN, "it answered 503");
    private static final SpanSender.ExportResult BAD =
            new SpanSender.ExportResult(SpanSender.ExportOutcome.REFUSED, "it answered 400");
    private static SpanTestDatabase database;

    private final List<List<FinishedSpan>> requests = new ArrayList<>();
    private final SpanExportMetrics metrics = new SpanExportMetrics();
    private Supplier<CompletionStage<SpanSender.ExportResult>> answer =
            () -> CompletableFuture.completedFuture(SpanSender.ExportResult.SUCCESS);
    private long now = 42;

    @BeforeAll
    static void open() {
        database = new SpanTestDatabase();
    }

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    @BeforeEach
    void clear() throws Exception {
        database.clear();
    }

    private SpanExporter newExporter(int queue, int batch, Duration dropAfter) {
        SpanSender sender = new SpanSender() {
            @Override
            public CompletionStage<ExportResult> send(List<FinishedSpan> spans) {
                requests.add(spans);
                return answer.get();
            }

            @Override
            public void close() {}
        };
        SpanBatcher parcels = new SpanBatcher(
                database.spans(),
                database.journal(),
                sender,
                tenant -> Redactor.NONE,
                new SpanBatcher.SpanBatchSettings(batch, false, Duration.ofMillis(200)));
        return new SpanExporter(
                database.spans(),
                parcels,
                new SpanExporter.SpanExportLimits(queue, dropAfter, Duration.ofHours(1)),
                metrics,
                () -> now);
    }

    private void advanceClock(Duration time) {
        now += time.toNanos();
    }

    /** Ends an execution with the given number of calls. */
    private static ExecutionId endExecution(int calls) {
        ExecutionStore store = database.store();
        Journal journal = database.journal();
        ExecutionId id = new ExecutionId(UUID.randomUUID());
        TraceContext trace =
                new TraceSampler(1).startTrace(id.value(), Optional.empty()).orElseThrow();
        NewExecution execution = anExecution().id(id).trace(trace).build();
        store.insert(execution);
        var fence = store.claim(id, "node").orElseThrow().fence();
        List<TraceEvent> events = new ArrayList<>();
        ToolName tool = new ToolName("demo", "add");
        for (int call = 1; call <= calls; call++) {
            events.add(new TraceEvent.ToolStarted(2L * call - 1, Instant.now(), call, tool, Json.NULL));
            events.add(new TraceEvent.ToolEnded(
                    2L * call, Instant.now(), call, tool, 1, 1, Optional.of(Json.NULL), Optional.empty()));
        }
        assertThat(journal.finish(fence, new ExecutionOutcome.ExecutionCompleted(Json.NULL), database.entries(events)))
                .isPresent();
        return id;
    }

    private List<String> sent() {
        return requests.stream().flatMap(List::stream).map(FinishedSpan::spanId).toList();
    }

    private static String rootSpanId(ExecutionId id) {
        return SpanIdGenerator.executionSpanId(id.value());
    }

    @Test
    void endedExecutionIsExportedOnceAndForgotten() {
        SpanExporter export = newExporter(100, 512, DROP_AFTER);
        ExecutionId id = endExecution(2);
        export.onEnded(id);
        export.onEnded(id);

        export.poll();
        export.poll();

        assertThat(requests).hasSize(1);
        assertThat(sent())
                .containsExactlyInAnyOrder(
                        rootSpanId(id),
                        SpanIdGenerator.callSpanId(id.value(), 1),
                        SpanIdGenerator.callSpanId(id.value(), 2));
        assertThat(metrics.sent()).isEqualTo(3);
        assertThat(database.spans().retainUnsent(List.of(id))).isEmpty();
    }

    @Test
    void nextNodeExportsSpansOfALostNodeUnderTheSameIds() {
        SpanExporter dying = newExporter(100, 512, DROP_AFTER);
        ExecutionId untold = endExecution(1);
        ExecutionId half = endExecution(1);
        answer = () -> CompletableFuture.completedFuture(BUSY); // perhaps accepted, but the node dies before the answer
        dying.onEnded(half);
        dying.poll();
        List<String> before = sent();
        requests.clear();
        answer = () -> CompletableFuture.completedFuture(SpanSender.ExportResult.SUCCESS);

        SpanExporter next = newExporter(100, 512, DROP_AFTER);
        next.poll();

        assertThat(sent()).containsAll(before).contains(rootSpanId(untold)).doesNotHaveDuplicates();
    }

    @Test
    void longTraceIsSentInSeveralBoundedRequests() {
        SpanExporter export = newExporter(100, 100, DROP_AFTER);
        ExecutionId id = endExecution(1_250);
        export.onEnded(id);

        export.poll();

        assertThat(requests)
                .hasSize(13)
                .allSatisfy(request -> assertThat(request.size()).isLessThanOrEqualTo(100));
        assertThat(sent()).hasSize(1_251).doesNotHaveDuplicates();
    }

    @Test
    void failingCollectorIsRetriedWithBackoffAndNoSpanIsLost() {
        SpanExporter export = newExporter(100, 512, DROP_AFTER);
        ExecutionId id = endExecution(0);
        export.onEnded(id);
        answer = () -> CompletableFuture.completedFuture(BUSY);

        export.poll();
        export.poll();
        assertThat(requests).hasSize(1);
        advanceClock(Duration.ofSeconds(1));
        export.poll();
        advanceClock(Duration.ofSeconds(1));
        export.poll();
        assertThat(requests).as("the second pause is longer").hasSize(2);
        answer = () -> CompletableFuture.completedFuture(SpanSender.ExportResult.SUCCESS);
        advanceClock(Duration.ofSeconds(1));
        export.poll();

        assertThat(requests).hasSize(3);
        assertThat(metrics.failures()).isEqualTo(2);
        assertThat(metrics.sent()).isEqualTo(1);
        assertThat(metrics.droppedExecutions()).isZero();
    }

    @Test
    void longUnavailableCollectorLosesOnlyTheSpans() {
        SpanExporter export = newExporter(100, 512, Duration.ZERO);
        List<ExecutionId> ids =
                IntStream.range(0, 5).mapToObj(i -> endExecution(0)).toList();
        ids.forEach(export::onEnded);
        answer = () -> CompletableFuture.completedFuture(BUSY);

        export.poll();
        assertThat(metrics.droppedExecutions()).isEqualTo(5);
        advanceClock(Duration.ofHours(1));
        export.poll();

        assertThat(requests).hasSize(1);
        assertThat(metrics.waiting()).isZero();
    }

    @Test
    void refusedSpansAreDroppedAndCountedAndTheNextAreSent() {
        SpanExporter export = newExporter(100, 512, DROP_AFTER);
        Map<Integer, SpanSender.ExportResult> answers = new LinkedHashMap<>(Map.of(1, BAD));
        answer = () -> CompletableFuture.completedFuture(
                answers.getOrDefault(requests.size(), SpanSender.ExportResult.SUCCESS));
        export.onEnded(endExecution(2));
        export.poll();
        ExecutionId next = endExecution(0);
        export.onEnded(next);
        export.poll();

        assertThat(metrics.dropped()).isEqualTo(3);
        assertThat(metrics.droppedExecutions()).isEqualTo(1);
        assertThat(requests.get(1)).extracting(FinishedSpan::spanId).containsExactly(rootSpanId(next));
    }

    @Test
    void silentCollectorTimesOut() {
        SpanExporter export = newExporter(100, 512, DROP_AFTER);
        export.onEnded(endExecution(0));
        answer = CompletableFuture::new;

        export.poll();

        assertThat(metrics.failures()).isEqualTo(1);
    }

    @Test
    void endingAnExecutionNeverBlocksAndOverflowIsExportedLater() {
        SpanExporter export = newExporter(2, 512, DROP_AFTER);
        export.poll();
        List<ExecutionId> ids =
                IntStream.range(0, 10).mapToObj(i -> endExecution(0)).toList();
        ids.forEach(export::onEnded);
        assertThat(metrics.waiting()).isEqualTo(2);
        export.poll();
        assertThat(sent()).hasSize(2);

        SpanExporter other = newExporter(100, 512, DROP_AFTER);
        other.poll();

        assertThat(sent())
                .hasSize(10)
                .containsAll(ids.stream().map(SpanExporterTest::rootSpanId).toList());
    }

    @Test
    void flushSendsPendingSpansEvenAfterAFailure() {
        SpanExporter export = newExporter(100, 512, DROP_AFTER);
        export.onEnded(endExecution(0));
        answer = () -> CompletableFuture.completedFuture(BUSY);
        export.poll();
        answer = () -> CompletableFuture.completedFuture(SpanSender.ExportResult.SUCCESS);

        export.flush(Duration.ofMinutes(1));

        assertThat(metrics.sent()).isEqualTo(1);
    }
}
