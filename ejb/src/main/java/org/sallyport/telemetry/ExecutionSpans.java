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
import org.sallyport.secret.Redaction;
import org.sallyport.tracecontext.SpanIds;
import org.sallyport.tracecontext.TraceContext;

/**
 * The spans of one ended execution: one of its own, one of each call, one of each time that people were asked, and one of each time
 * in which it was parked. Is told the trace, event by event in order, and gives each span as soon as it is over. For one thread.
 */
final class ExecutionSpans {
    private static final int MOST_EVENTS = 128;

    private final Execution execution;
    private final TraceContext context;
    private final UUID id;
    private final String root;
    private final CallAttributes calls;
    private final Consumer<FinishedSpan> sink;
    private final Instant end;
    private final Map<Long, OpenCall> open = new HashMap<>();
    private final List<FinishedSpan.Event> events = new ArrayList<>();
    private @Nullable Wait wait;

    /** A time in which it was parked. */
    private record Wait(long seq, Instant since) {}

    /** A call whose end is to come. */
    private static final class OpenCall {
        private final TraceEvent.ToolStarted started;
        private final Map<String, Object> attributes;
        private final Map<UUID, TraceEvent.Asked> asked = new HashMap<>();

        OpenCall(TraceEvent.ToolStarted started, Map<String, Object> attributes) {
            this.started = started;
            this.attributes = attributes;
        }
    }

    /**
     * @param redaction what must not be seen of the tenant's
     * @param values whether arguments and results are told
     * @param sink is given the spans
     */
    ExecutionSpans(
            Execution execution,
            TraceContext context,
            Redaction redaction,
            boolean values,
            Consumer<FinishedSpan> sink) {
        this.execution = execution;
        this.context = context;
        this.id = execution.id().value();
        this.root = SpanIds.execution(id);
        this.calls = new CallAttributes(execution.id().toString(), redaction, values);
        this.sink = sink;
        this.end = execution.summary().finishedAt().orElse(execution.summary().createdAt());
    }

    void add(TraceEvent event) {
        if (event instanceof TraceEvent.ToolStarted started) {
            open.put(started.call(), new OpenCall(started, calls.of(started)));
        } else if (event instanceof TraceEvent.ToolEnded ended) {
            OpenCall call = open.remove(ended.call());
            if (call != null) {
                close(call, Optional.of(ended));
            }
        } else if (event instanceof TraceEvent.Judged judged) {
            withCall(judged.call(), call -> calls.add(judged, call.attributes));
        } else if (event instanceof TraceEvent.Asked asked) {
            withCall(asked.call(), call -> call.asked.put(asked.approval(), asked));
        } else if (event instanceof TraceEvent.Decided decided) {
            withCall(decided.call(), call -> {
                TraceEvent.Asked asked = call.asked.remove(decided.approval());
                approval(call, asked == null ? decided.at() : asked.at(), decided);
            });
        } else if (event instanceof TraceEvent.StateChanged changed) {
            state(changed);
        }
    }

    private void withCall(long ordinal, Consumer<OpenCall> then) {
        OpenCall call = open.get(ordinal);
        if (call != null) {
            then.accept(call);
        }
    }

    /** No event follows. */
    void finish() {
        List.copyOf(open.values()).forEach(call -> close(call, Optional.empty()));
        open.clear();
        leave(end);
        ExecutionSummary summary = execution.summary();
        sink.accept(span(
                root,
                context.parent().map(parent -> new FinishedSpan.Parent(parent, true)),
                summary.capability().map(of -> "execution " + of.name()).orElse("execution"),
                FinishedSpan.Kind.SERVER,
                summary.createdAt(),
                end,
                ExecutionAttributes.of(execution),
                events,
                failed(summary)));
    }

    private static FinishedSpan.Status failed(ExecutionSummary summary) {
        return summary.state() == ExecutionState.FAILED || summary.state() == ExecutionState.TIMED_OUT
                ? new FinishedSpan.Status(
                        true, summary.errorCode().orElse(summary.state().name()))
                : FinishedSpan.Status.OK;
    }

    private void state(TraceEvent.StateChanged changed) {
        leave(changed.at());
        if (changed.state() == ExecutionState.WAITING) {
            wait = new Wait(changed.seq(), changed.at());
        }
        if (events.size() < MOST_EVENTS) {
            events.add(new FinishedSpan.Event(
                    changed.at(),
                    "state",
                    Map.of("sallyport.state", changed.state().name(), "sallyport.attempt", (long) changed.attempt())));
        }
    }

    private void leave(Instant at) {
        Wait over = wait;
        wait = null;
        if (over != null) {
            sink.accept(span(
                    SpanIds.wait(id, over.seq()),
                    below(root),
                    "waiting",
                    FinishedSpan.Kind.INTERNAL,
                    over.since(),
                    at,
                    Map.of(),
                    List.of(),
                    FinishedSpan.Status.OK));
        }
    }

    private void close(OpenCall call, Optional<TraceEvent.ToolEnded> ended) {
        Instant at = ended.map(TraceEvent.ToolEnded::at).orElse(end);
        call.asked
                .values()
                .forEach(asked -> sink.accept(span(
                        SpanIds.approval(asked.approval()),
                        below(SpanIds.call(id, asked.call())),
                        "approval",
                        FinishedSpan.Kind.INTERNAL,
                        asked.at(),
                        at,
                        CallAttributes.of(asked),
                        List.of(),
                        FinishedSpan.Status.OK)));
        ended.ifPresent(answer -> calls.add(answer, call.attributes));
        sink.accept(span(
                SpanIds.call(id, call.started.call()),
                below(root),
                calls.name(call.started.tool()),
                CallAttributes.kind(call.started.tool()),
                call.started.at(),
                at,
                call.attributes,
                List.of(),
                ended.flatMap(TraceEvent.ToolEnded::error)
                        .map(error -> new FinishedSpan.Status(true, error.code().code()))
                        .orElse(FinishedSpan.Status.OK)));
    }

    private void approval(OpenCall call, Instant since, TraceEvent.Decided decided) {
        sink.accept(span(
                SpanIds.approval(decided.approval()),
                below(SpanIds.call(id, call.started.call())),
                "approval",
                FinishedSpan.Kind.INTERNAL,
                since,
                decided.at(),
                CallAttributes.of(decided),
                List.of(),
                FinishedSpan.Status.OK));
    }

    private static Optional<FinishedSpan.Parent> below(String span) {
        return Optional.of(new FinishedSpan.Parent(span, false));
    }

    /** Times are of several clocks: none ends before it begins. */
    private FinishedSpan span(
            String span,
            Optional<FinishedSpan.Parent> parent,
            String name,
            FinishedSpan.Kind kind,
            Instant from,
            Instant to,
            Map<String, Object> attributes,
            List<FinishedSpan.Event> happened,
            FinishedSpan.Status status) {
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
