package org.sallyport.telemetry;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.journal.TraceEvent;
import org.sallyport.otlp.FinishedSpan;
import org.sallyport.redaction.Redactor;
import org.sallyport.tracecontext.SpanIdGenerator;
import org.sallyport.tracecontext.TraceContext;

/**
 * Builds the spans of one ended execution: one for the execution, and one for each call, each approval and each period
 * in which it was parked. Receives the trace event by event in order, and emits each span as soon as it ends. Confined
 * to one thread.
 */
final class ExecutionSpanBuilder {
    private static final int MAX_EVENTS = 128;

    private final Execution execution;
    private final TraceContext context;
    private final UUID executionUuid;
    private final String rootSpanId;
    private final CallSpanAttributes callAttributes;
    private final Consumer<FinishedSpan> sink;
    private final Instant end;
    private final Map<Long, OpenCallSpan> openCalls = new HashMap<>();
    private final List<FinishedSpan.SpanEvent> events = new ArrayList<>();
    private @Nullable ParkedPeriod parked;

    /** A period in which the execution was parked. */
    private record ParkedPeriod(long seq, Instant since) {}

    /** A call that has started and not ended. */
    private static final class OpenCallSpan {
        private final TraceEvent.ToolStarted started;
        private final Map<String, Object> attributes;
        private final Map<UUID, TraceEvent.ApprovalRequested> pendingApprovals = new HashMap<>();

        OpenCallSpan(TraceEvent.ToolStarted started, Map<String, Object> attributes) {
            this.started = started;
            this.attributes = attributes;
        }
    }

    /**
     * @param redaction redactor of the tenant
     * @param values whether to include arguments and results
     * @param sink receives the spans
     */
    ExecutionSpanBuilder(
            Execution execution,
            TraceContext context,
            Redactor redaction,
            boolean values,
            Consumer<FinishedSpan> sink) {
        this.execution = execution;
        this.context = context;
        this.executionUuid = execution.id().value();
        this.rootSpanId = SpanIdGenerator.executionSpanId(executionUuid);
        this.callAttributes = new CallSpanAttributes(execution.id().toString(), redaction, values);
        this.sink = sink;
        this.end = execution.summary().finishedAt().orElse(execution.summary().createdAt());
    }

    void add(TraceEvent event) {
        if (event instanceof TraceEvent.ToolStarted started) {
            openCalls.put(started.call(), new OpenCallSpan(started, callAttributes.attributesOf(started)));
        } else if (event instanceof TraceEvent.ToolEnded ended) {
            OpenCallSpan call = openCalls.remove(ended.call());
            if (call != null) {
                endCall(call, Optional.of(ended));
            }
        } else if (event instanceof TraceEvent.PolicyDecided judged) {
            withCall(judged.call(), call -> callAttributes.add(judged, call.attributes));
        } else if (event instanceof TraceEvent.ApprovalRequested asked) {
            withCall(asked.call(), call -> call.pendingApprovals.put(asked.approval(), asked));
        } else if (event instanceof TraceEvent.ApprovalDecided decided) {
            withCall(decided.call(), call -> {
                TraceEvent.ApprovalRequested asked = call.pendingApprovals.remove(decided.approval());
                endApproval(call, asked == null ? decided.at() : asked.at(), decided);
            });
        } else if (event instanceof TraceEvent.StateChanged changed) {
            addStateChange(changed);
        }
    }

    private void withCall(long ordinal, Consumer<OpenCallSpan> then) {
        OpenCallSpan call = openCalls.get(ordinal);
        if (call != null) {
            then.accept(call);
        }
    }

    /** Ends the spans that are still open after the last event. */
    void finish() {
        List.copyOf(openCalls.values()).forEach(call -> endCall(call, Optional.empty()));
        openCalls.clear();
        endParked(end);
        ExecutionSummary summary = execution.summary();
        sink.accept(newSpan(
                rootSpanId,
                context.parent().map(parent -> new FinishedSpan.ParentSpan(parent, true)),
                summary.capability().map(of -> "execution " + of.name()).orElse("execution"),
                FinishedSpan.FinishedSpanKind.SERVER,
                summary.createdAt(),
                end,
                ExecutionSpanAttributes.of(execution),
                events,
                statusOf(summary)));
    }

    private static FinishedSpan.SpanStatus statusOf(ExecutionSummary summary) {
        return summary.state() == ExecutionState.FAILED || summary.state() == ExecutionState.TIMED_OUT
                ? new FinishedSpan.SpanStatus(
                        true, summary.errorCode().orElse(summary.state().name()))
                : FinishedSpan.SpanStatus.OK;
    }

    private void addStateChange(TraceEvent.StateChanged changed) {
        endParked(changed.at());
        if (changed.state() == ExecutionState.WAITING) {
            parked = new ParkedPeriod(changed.seq(), changed.at());
        }
        if (events.size() < MAX_EVENTS) {
            events.add(new FinishedSpan.SpanEvent(
                    changed.at(),
                    "state",
                    Map.of("sallyport.state", changed.state().name(), "sallyport.attempt", (long) changed.attempt())));
        }
    }

    private void endParked(Instant at) {
        ParkedPeriod period = parked;
        parked = null;
        if (period != null) {
            sink.accept(newSpan(
                    SpanIdGenerator.waitSpanId(executionUuid, period.seq()),
                    childOf(rootSpanId),
                    "waiting",
                    FinishedSpan.FinishedSpanKind.INTERNAL,
                    period.since(),
                    at,
                    Map.of(),
                    List.of(),
                    FinishedSpan.SpanStatus.OK));
        }
    }

    private void endCall(OpenCallSpan call, Optional<TraceEvent.ToolEnded> ended) {
        Instant at = ended.map(TraceEvent.ToolEnded::at).orElse(end);
        call.pendingApprovals
                .values()
                .forEach(asked -> sink.accept(newSpan(
                        SpanIdGenerator.approvalSpanId(asked.approval()),
                        childOf(SpanIdGenerator.callSpanId(executionUuid, asked.call())),
                        "approval",
                        FinishedSpan.FinishedSpanKind.INTERNAL,
                        asked.at(),
                        at,
                        CallSpanAttributes.attributesOf(asked),
                        List.of(),
                        FinishedSpan.SpanStatus.OK)));
        ended.ifPresent(answer -> callAttributes.add(answer, call.attributes));
        sink.accept(newSpan(
                SpanIdGenerator.callSpanId(executionUuid, call.started.call()),
                childOf(rootSpanId),
                callAttributes.spanName(call.started.tool()),
                CallSpanAttributes.spanKind(call.started.tool()),
                call.started.at(),
                at,
                call.attributes,
                List.of(),
                ended.flatMap(TraceEvent.ToolEnded::error)
                        .map(error ->
                                new FinishedSpan.SpanStatus(true, error.code().code()))
                        .orElse(FinishedSpan.SpanStatus.OK)));
    }

    private void endApproval(OpenCallSpan call, Instant since, TraceEvent.ApprovalDecided decided) {
        sink.accept(newSpan(
                SpanIdGenerator.approvalSpanId(decided.approval()),
                childOf(SpanIdGenerator.callSpanId(executionUuid, call.started.call())),
                "approval",
                FinishedSpan.FinishedSpanKind.INTERNAL,
                since,
                decided.at(),
                CallSpanAttributes.attributesOf(decided),
                List.of(),
                FinishedSpan.SpanStatus.OK));
    }

    private static Optional<FinishedSpan.ParentSpan> childOf(String span) {
        return Optional.of(new FinishedSpan.ParentSpan(span, false));
    }

    /** The times come from several clocks; a span must not end before it starts. */
    private FinishedSpan newSpan(
            String span,
            Optional<FinishedSpan.ParentSpan> parent,
            String name,
            FinishedSpan.FinishedSpanKind kind,
            Instant from,
            Instant to,
            Map<String, Object> attributes,
            List<FinishedSpan.SpanEvent> happened,
            FinishedSpan.SpanStatus status) {
        return new FinishedSpan(
                context.traceId(),
                span,
                parent,
                context.state(),
                name,
                kind,
                from,
                to.isBefore(from) ? from : to,
                attributes,
                happened,
                status);
    }
}
