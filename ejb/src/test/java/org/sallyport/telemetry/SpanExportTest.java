package org.sallyport.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

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
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Outcome;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.otlp.FinishedSpan;
import org.sallyport.otlp.SpanSender;
import org.sallyport.secret.Redaction;
import org.sallyport.store.SpanTestHouse;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tracecontext.Sampler;
import org.sallyport.tracecontext.SpanIds;
import org.sallyport.tracecontext.TraceContext;

/** A collector that takes, refuses, fails or is silent, and what is sent to it, from a real database. */
class SpanExportTest {
    private static final Duration PATIENCE = Duration.ofHours(1);
    private static final SpanSender.Verdict BUSY = new SpanSender.Verdict(SpanSender.Outcome.AGAIN, "it answered 503");
    private static final SpanSender.Verdict BAD = new SpanSender.Verdict(SpanSender.Outcome.REFUSED, "it answered 400");
    private static SpanTestHouse house;

    private final List<List<FinishedSpan>> requests = new ArrayList<>();
    private final SpanFigures figures = new SpanFigures();
    private Supplier<CompletionStage<SpanSender.Verdict>> answer =
            () -> CompletableFuture.completedFuture(SpanSender.Verdict.TAKEN);
    private long now = 42;

    @BeforeAll
    static void open() {
        house = new SpanTestHouse();
    }

    @AfterAll
    static void close() throws Exception {
        house.close();
    }

    @BeforeEach
    void clear() throws Exception {
        house.clear();
    }

    private SpanExport export(int queue, int batch, Duration patience) {
        SpanSender sender = new SpanSender() {
            @Override
            public CompletionStage<Verdict> send(List<FinishedSpan> spans) {
                requests.add(spans);
                return answer.get();
            }

            @Override
            public void close() {}
        };
        Parcels parcels = new Parcels(
                house.spans(),
                house.journal(),
                sender,
                tenant -> Redaction.NOTHING,
                new Parcels.Content(batch, false, Duration.ofMillis(200)));
        return new SpanExport(
                house.spans(),
                parcels,
                new SpanExport.Bounds(queue, patience, Duration.ofHours(1)),
                figures,
                () -> now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    /** With so many calls. */
    private static ExecutionId ended(int calls) {
        ExecutionStore store = house.store();
        Journal journal = house.journal();
        ExecutionId id = new ExecutionId(UUID.randomUUID());
        TraceContext trace = new Sampler(1).begin(id.value(), Optional.empty()).orElseThrow();
        NewExecution execution = anExecution().id(id).trace(trace).build();
        store.accept(execution);
        var fence = store.claim(id, "node").orElseThrow().fence();
        List<TraceEvent> events = new ArrayList<>();
        ToolName tool = new ToolName("demo", "add");
        for (int call = 1; call <= calls; call++) {
            events.add(new TraceEvent.ToolStarted(2L * call - 1, Instant.now(), call, tool, Json.NULL));
            events.add(new TraceEvent.ToolEnded(
                    2L * call, Instant.now(), call, tool, 1, 1, Optional.of(Json.NULL), Optional.empty()));
        }
        assertThat(journal.finish(fence, new Outcome.Completed(Json.NULL), house.entries(events)))
                .isPresent();
        return id;
    }

    private List<String> sent() {
        return requests.stream().flatMap(List::stream).map(FinishedSpan::spanId).toList();
    }

    private static String root(ExecutionId id) {
        return SpanIds.execution(id.value());
    }

    @Test
    void whatHasEndedIsSentOnceAndForgotten() {
        SpanExport export = export(100, 512, PATIENCE);
        ExecutionId id = ended(2);
        export.ended(id);
        export.ended(id);

        export.look();
        export.look();

        assertThat(requests).hasSize(1);
        assertThat(sent())
                .containsExactlyInAnyOrder(root(id), SpanIds.call(id.value(), 1), SpanIds.call(id.value(), 2));
        assertThat(figures.sent()).isEqualTo(3);
        assertThat(house.spans().owed(List.of(id))).isEmpty();
    }

    @Test
    void whatEndedWithItsNodeIsSentByTheNextOneUnderTheSameIds() {
        SpanExport dying = export(100, 512, PATIENCE);
        ExecutionId untold = ended(1);
        ExecutionId half = ended(1);
        answer = () -> CompletableFuture.completedFuture(BUSY); // taken perhaps, and the node died before the answer
        dying.ended(half);
        dying.look();
        List<String> before = sent();
        requests.clear();
        answer = () -> CompletableFuture.completedFuture(SpanSender.Verdict.TAKEN);

        SpanExport next = export(100, 512, PATIENCE);
        next.look();

        assertThat(sent()).containsAll(before).contains(root(untold)).doesNotHaveDuplicates();
    }

    @Test
    void aLongTraceIsSentInSeveralRequestsAndNoneIsLargerThanAllowed() {
        SpanExport export = export(100, 100, PATIENCE);
        ExecutionId id = ended(1_250);
        export.ended(id);

        export.look();

        assertThat(requests)
                .hasSize(13)
                .allSatisfy(request -> assertThat(request.size()).isLessThanOrEqualTo(100));
        assertThat(sent()).hasSize(1_251).doesNotHaveDuplicates();
    }

    @Test
    void aCollectorThatFailsIsAskedAgainLaterAndLaterAndNothingIsLost() {
        SpanExport export = export(100, 512, PATIENCE);
        ExecutionId id = ended(0);
        export.ended(id);
        answer = () -> CompletableFuture.completedFuture(BUSY);

        export.look();
        export.look();
        assertThat(requests).hasSize(1);
        pass(Duration.ofSeconds(1));
        export.look();
        pass(Duration.ofSeconds(1));
        export.look();
        assertThat(requests).as("the second pause is longer").hasSize(2);
        answer = () -> CompletableFuture.completedFuture(SpanSender.Verdict.TAKEN);
        pass(Duration.ofSeconds(1));
        export.look();

        assertThat(requests).hasSize(3);
        assertThat(figures.failures()).isEqualTo(2);
        assertThat(figures.sent()).isEqualTo(1);
        assertThat(figures.droppedExecutions()).isZero();
    }

    @Test
    void aCollectorThatTakesNothingForLongCostsTheSpansAndNoMore() {
        SpanExport export = export(100, 512, Duration.ZERO);
        List<ExecutionId> ids = IntStream.range(0, 5).mapToObj(i -> ended(0)).toList();
        ids.forEach(export::ended);
        answer = () -> CompletableFuture.completedFuture(BUSY);

        export.look();
        assertThat(figures.droppedExecutions()).isEqualTo(5);
        pass(Duration.ofHours(1));
        export.look();

        assertThat(requests).hasSize(1);
        assertThat(figures.waiting()).isZero();
    }

    @Test
    void whatIsRefusedIsDroppedAndCountedAndTheNextIsSent() {
        SpanExport export = export(100, 512, PATIENCE);
        Map<Integer, SpanSender.Verdict> answers = new LinkedHashMap<>(Map.of(1, BAD));
        answer = () ->
                CompletableFuture.completedFuture(answers.getOrDefault(requests.size(), SpanSender.Verdict.TAKEN));
        export.ended(ended(2));
        export.look();
        ExecutionId next = ended(0);
        export.ended(next);
        export.look();

        assertThat(figures.dropped()).isEqualTo(3);
        assertThat(figures.droppedExecutions()).isEqualTo(1);
        assertThat(requests.get(1)).extracting(FinishedSpan::spanId).containsExactly(root(next));
    }

    @Test
    void aCollectorThatIsSilentIsWaitedForNoLongerThanItsTime() {
        SpanExport export = export(100, 512, PATIENCE);
        export.ended(ended(0));
        answer = CompletableFuture::new;

        export.look();

        assertThat(figures.failures()).isEqualTo(1);
    }

    @Test
    void whoEndsExecutionsNeverWaitsAndWhatHadNoRoomIsFoundLater() {
        SpanExport export = export(2, 512, PATIENCE);
        export.look();
        List<ExecutionId> ids = IntStream.range(0, 10).mapToObj(i -> ended(0)).toList();
        ids.forEach(export::ended);
        assertThat(figures.waiting()).isEqualTo(2);
        export.look();
        assertThat(sent()).hasSize(2);

        SpanExport other = export(100, 512, PATIENCE);
        other.look();

        assertThat(sent())
                .hasSize(10)
                .containsAll(ids.stream().map(SpanExportTest::root).toList());
    }

    @Test
    void whatIsLeftIsSentAtTheEndEvenAfterAFailure() {
        SpanExport export = export(100, 512, PATIENCE);
        export.ended(ended(0));
        answer = () -> CompletableFuture.completedFuture(BUSY);
        export.look();
        answer = () -> CompletableFuture.completedFuture(SpanSender.Verdict.TAKEN);

        export.flush(Duration.ofMinutes(1));

        assertThat(figures.sent()).isEqualTo(1);
    }
}
