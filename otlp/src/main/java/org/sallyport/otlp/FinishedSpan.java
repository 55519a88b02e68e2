package org.sallyport.otlp;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A finished span.
 *
 * @param traceId 32 lower-case hexadecimal digits
 * @param spanId 16 lower-case hexadecimal digits
 * @param parent parent span; empty for the root of a trace
 * @param traceState the {@code tracestate} of its trace, empty when it has none
 * @param name name for people
 * @param kind side of a request
 * @param start start time
 * @param end end time, not before the start
 * @param attributes text, {@link Long} or {@link Boolean} values
 * @param events events during the span
 * @param status status at the end
 */
public record FinishedSpan(
        String traceId,
        String spanId,
        Optional<ParentSpan> parent,
        String traceState,
        String name,
        FinishedSpanKind kind,
        Instant start,
        Instant end,
        Map<String, Object> attributes,
        List<SpanEvent> events,
        SpanStatus status) {
    public FinishedSpan {
        attributes = Map.copyOf(attributes);
        events = List.copyOf(events);
    }

    /** Side of a request that a span describes. */
    public enum FinishedSpanKind {
        /** Handles a request. */
        SERVER,
        /** Makes a request. */
        CLIENT,
        /** Neither handles nor makes a request. */
        INTERNAL
    }

    /**
     * Parent of a span.
     *
     * @param spanId 16 lower-case hexadecimal digits
     * @param remote whether another service created it
     */
    public record ParentSpan(String spanId, boolean remote) {}

    /** An event at one instant. */
    public record SpanEvent(Instant at, String name, Map<String, Object> attributes) {
        public SpanEvent {
            attributes = Map.copyOf(attributes);
        }
    }

    /**
     * Status of a span.
     *
     * @param failed whether the span is shown as an error
     * @param description reason of the failure, empty without failure
     */
    public record SpanStatus(boolean failed, String description) {
        /** The span succeeded. */
        public static final SpanStatus OK = new SpanStatus(false, "");
    }
}
