package org.sallyport.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalState;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.journal.ConnectorReport;
import org.sallyport.journal.TraceEvent;
import org.sallyport.otlp.FinishedSpan;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tracecontext.SpanIdGenerator;
import org.sallyport.tracecontext.TraceContext;

/** Recorded traces, and the spans that are built from them. */
class ExecutionSpanBuilderTest {
    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final UUID ID = UUID.fromString("01900000-0000-7000-8000-000000000001");
    private static final String PARENT = "00f067aa0ba902b7";
    private static final TraceContext TRACE = TraceContext.of(
                    "00-4bf92f3577b34da6a3ce929d0e0e4736-" + PARENT + "-01", "v=1")
            .orElseThrow();
    private static final ToolName ADD = new ToolName("demo", "add");
    private static final String SECRET = "shelter-token-4711";

    private static Instant at(int millis) {
        return T0.plusMillis(millis);
    }

    private static Execution execution(ExecutionState state, Optional<String> error) {
        return new Execution(
                new ExecutionSummary(
                        new ExecutionId(ID),
                        "acme",
                        "key",
                        state,
                        ScriptLanguage.JAVASCRIPT,
                        ScriptTier.SANDBOX,
                        "return 'the code is nobody's business'",
                        4,
                        2,
                        Map.of("label", "private"),
                        error,
                        at(0),
                        Optional.of(at(40)),
                        Optional.of(at(1_000)),
                        Optional.empty(),
                        Optional.of(new BatchId(ID)),
                        Optional.of(new CapabilityRef("invoice", "1.2.0")),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()),
                new Json("{\"arg\":\"private\"}"),
                new ExecutionLimits(1, 1, 1, 1, 1),
                List.of("*"),
                Optional.of("intent is private"),
                Durability.JOURNAL,
                false,
                Optional.of(new Json("\"private\"")),
                Optional.empty(),
                0,
                0,
                false,
                Optional.empty(),
                Optional.empty(),
                EffectMode.REAL);
    }

    private static List<FinishedSpan> spans(Execution execution, boolean values, TraceEvent... events) {
        List<FinishedSpan> spans = new ArrayList<>();
        ExecutionSpanBuilder mapping =
                new ExecutionSpanBuilder(execution, TRACE, new Redactor(List.of(SECRET)), values, spans::add);
        List.of(events).forEach(mapping::add);
        mapping.finish();
        assertThat(spans).allSatisfy(span -> {
            assertThat(span.traceId()).isEqualTo(TRACE.traceId());
            assertThat(span.traceState()).isEqualTo("v=1");
            assertThat(span.end()).isAfterOrEqualTo(span.start());
        });
        assertThat(spans.stream().map(FinishedSpan::spanId)).doesNotHaveDuplicates();
        return spans;
    }

    private static FinishedSpan span(List<FinishedSpan> spans, String id) {
        return spans.stream()
                .filter(each -> each.spanId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static TraceEvent.ToolStarted started(long seq, int at, long call) {
        return new TraceEvent.ToolStarted(seq, at(at), call, ADD, new Json("{\"a\":\"" + SECRET + " and more\"}"));
    }

    private static TraceEvent.ToolEnded ended(long seq, int at, long call, ToolErrorCode... error) {
        return new TraceEvent.ToolEnded(
                seq,
                at(at),
                call,
                ADD,
                30,
                10,
                error.length == 0 ? Optional.of(new Json("{\"r\":\"" + SECRET + "\"}")) : Optional.empty(),
                error.length == 0
                        ? Optional.empty()
                        : Optional.of(new ToolError(error[0], "said " + SECRET, Optional.empty())),
                false,
                1,
                error.length == 0 ? Optional.of(new ConnectorReport(20, Optional.of("node-7"))) : Optional.empty());
    }

    private static TraceEvent.StateChanged state(long seq, int at, ExecutionState state, int attempt) {
        return new TraceEvent.StateChanged(seq, at(at), state, attempt);
    }

    @Test
    void executionSpanJoinsTheCallersTraceAndParentsItsCallSpans() {
        List<FinishedSpan> spans = spans(
                execution(ExecutionState.COMPLETED, Optional.empty()),
                false,
                state(1, 40, ExecutionState.RUNNING, 1),
                started(2, 50, 1),
                started(3, 51, 2),
                ended(4, 80, 2, ToolErrorCode.TOOL_FAILED),
                ended(5, 90, 1));

        assertThat(spans).hasSize(3);
        FinishedSpan root = span(spans, SpanIdGenerator.executionSpanId(ID));
        assertThat(root.parent()).contains(new FinishedSpan.ParentSpan(PARENT, true));
        assertThat(root.name()).isEqualTo("execution invoice");
        assertThat(root.start()).isEqualTo(at(0));
        assertThat(root.end()).isEqualTo(at(1_000));
        assertThat(root.status()).isEqualTo(FinishedSpan.SpanStatus.OK);
        assertThat(root.attributes())
                .containsEntry("sallyport.execution.id", ID.toString())
                .containsEntry("sallyport.tenant", "acme")
                .containsEntry("sallyport.state", "COMPLETED")
                .containsEntry("sallyport.capability", "invoice@1.2.0")
                .containsEntry("sallyport.batch.id", ID.toString())
                .containsEntry("sallyport.queue_millis", 40L)
                .containsEntry("sallyport.run_millis", 960L)
                .containsEntry("sallyport.attempts", 2L)
                .doesNotContainKey("error.type");
        FinishedSpan first = span(spans, SpanIdGenerator.callSpanId(ID, 1));
        assertThat(first.parent()).contains(new FinishedSpan.ParentSpan(root.spanId(), false));
        assertThat(first.name()).isEqualTo("demo.add");
        assertThat(first.kind()).isEqualTo(FinishedSpan.FinishedSpanKind.CLIENT);
        assertThat(first.start()).isEqualTo(at(50));
        assertThat(first.end()).isEqualTo(at(90));
        assertThat(first.attributes())
                .containsEntry("sallyport.call.ordinal", 1L)
                .containsEntry("sallyport.call.id", ID + "/1")
                .containsEntry("sallyport.backend", "demo")
                .containsEntry("sallyport.tool", "demo.add")
                .containsEntry("sallyport.success", true)
                .containsEntry("sallyport.duration_millis", 30L)
                .containsEntry("sallyport.queue_millis", 10L)
                .containsEntry("sallyport.backend_millis", 20L)
                .containsEntry("sallyport.connector.node", "node-7");
        FinishedSpan second = span(spans, SpanIdGenerator.callSpanId(ID, 2));
        assertThat(second.status()).isEqualTo(new FinishedSpan.SpanStatus(true, "tool-failed"));
        assertThat(second.attributes())
                .containsEntry("sallyport.success", false)
                .containsEntry("error.type", "tool-failed")
                .doesNotContainKeys("sallyport.backend_millis", "sallyport.connector.node");
    }

    @Test
    void argumentsAndResultsAreExportedOnlyWhenEnabledAndRedacted() {
        Execution execution = execution(ExecutionState.COMPLETED, Optional.empty());
        TraceEvent[] events = {
            started(1, 50, 1), ended(2, 90, 1), started(3, 91, 2), ended(4, 92, 2, ToolErrorCode.TOOL_FAILED)
        };

        assertThat(spans(execution, false, events).toString())
                .doesNotContain("and more", SECRET, "private", "business");
        List<FinishedSpan> detailedSpans = spans(execution, true, events);
        assertThat(detailedSpans.toString()).doesNotContain(SECRET, "private", "business");
        assertThat(String.valueOf(span(detailedSpans, SpanIdGenerator.callSpanId(ID, 1))
                        .attributes()
                        .get("sallyport.call.arguments")))
                .contains("and more");
        assertThat(span(detailedSpans, SpanIdGenerator.callSpanId(ID, 1)).attributes())
                .containsKey("sallyport.call.result");
    }

    @Test
    void longAttributeIsTruncated() {
        TraceEvent.ToolStarted big =
                new TraceEvent.ToolStarted(1, at(1), 1, ADD, new Json("\"" + "x".repeat(100_000) + "\""));
        TraceEvent.ToolStarted odd =
                new TraceEvent.ToolStarted(2, at(1), 2, new ToolName("demo", "y".repeat(10_000)), Json.NULL);

        List<FinishedSpan> spans = spans(execution(ExecutionState.COMPLETED, Optional.empty()), true, big, odd);

        assertThat(String.valueOf(span(spans, SpanIdGenerator.callSpanId(ID, 1))
                        .attributes()
                        .get("sallyport.call.arguments")))
                .hasSize(4_097);
        assertThat(span(spans, SpanIdGenerator.callSpanId(ID, 2)).name()).hasSize(201);
    }

    @Test
    void approvalIsAnEventOfTheCallSpanWithItsPolicyDecision() {
        UUID approval = UUID.randomUUID();
        List<FinishedSpan> spans = spans(
                execution(ExecutionState.COMPLETED, Optional.empty()),
                false,
                started(1, 50, 1),
                new TraceEvent.PolicyDecided(2, at(51), 1, ADD, "mails", "ask"),
                new TraceEvent.ApprovalRequested(3, at(52), 1, ADD, approval, ApprovalKind.CALL),
                state(4, 60, ExecutionState.WAITING, 1),
                state(5, 500, ExecutionState.PENDING, 1),
                state(6, 510, ExecutionState.RUNNING, 2),
                new TraceEvent.ApprovalDecided(
                        7,
                        at(520),
                        1,
                        ADD,
                        approval,
                        ApprovalKind.CALL,
                        ApprovalState.APPROVED,
                        "key-7",
                        "a private note",
                        Optional.of(new Json("{\"a\":\"private\"}"))),
                ended(8, 600, 1));

        FinishedSpan asked = span(spans, SpanIdGenerator.approvalSpanId(approval));
        assertThat(asked.parent()).contains(new FinishedSpan.ParentSpan(SpanIdGenerator.callSpanId(ID, 1), false));
        assertThat(asked.start()).isEqualTo(at(52));
        assertThat(asked.end()).isEqualTo(at(520));
        assertThat(asked.attributes())
                .containsEntry("sallyport.approval.state", "approved")
                .containsEntry("sallyport.approval.by", "key-7");
        FinishedSpan waiting = span(spans, SpanIdGenerator.waitSpanId(ID, 4));
        assertThat(waiting.start()).isEqualTo(at(60));
        assertThat(waiting.end()).isEqualTo(at(500));
        assertThat(span(spans, SpanIdGenerator.callSpanId(ID, 1)).attributes())
                .containsEntry("sallyport.policy.rule", "mails")
                .containsEntry("sallyport.policy.decision", "ask");
        assertThat(span(spans, SpanIdGenerator.executionSpanId(ID)).events())
                .extracting(event -> event.attributes().get("sallyport.state"))
                .containsExactly("WAITING", "PENDING", "RUNNING");
        assertThat(spans.toString()).doesNotContain("private");
    }

    @Test
    void openSpansEndWithTheExecution() {
        UUID approval = UUID.randomUUID();
        List<FinishedSpan> spans = spans(
                execution(ExecutionState.TIMED_OUT, Optional.of("wall-clock-limit")),
                false,
                started(1, 50, 1),
                new TraceEvent.ApprovalRequested(2, at(52), 1, ADD, approval, ApprovalKind.CALL),
                state(3, 60, ExecutionState.WAITING, 1));

        assertThat(spans).hasSize(4).allSatisfy(span -> assertThat(span.end()).isEqualTo(at(1_000)));
        FinishedSpan root = span(spans, SpanIdGenerator.executionSpanId(ID));
        assertThat(root.status()).isEqualTo(new FinishedSpan.SpanStatus(true, "wall-clock-limit"));
        assertThat(root.attributes()).containsEntry("error.type", "wall-clock-limit");
    }

    @Test
    void clockSkewNeverMakesASpanEndBeforeItsStart() {
        List<FinishedSpan> spans =
                spans(execution(ExecutionState.COMPLETED, Optional.empty()), false, started(1, 5_000, 1));

        assertThat(span(spans, SpanIdGenerator.callSpanId(ID, 1)).end()).isEqualTo(at(5_000));
    }
}
