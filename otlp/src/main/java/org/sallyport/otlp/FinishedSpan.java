package org.sallyport.otlp;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One span, complete.
 *
 * @param traceId 32 lower-case hexadecimal digits
 * @param spanId 16 lower-case hexadecimal digits
 * @param parent what it is part of; empty for the first of a trace
 * @param traceState the {@code tracestate} of its trace, empty when it has none
 * @param name for people
 * @param kind on which side of a request it is
 * @param start when it began
 * @param end when it was over, not before its start
 * @param attributes what is known of it: text, {@link Long} or {@link Boolean} values
 * @param events what happened meanwhile
 * @param status how it ended
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

    /** On which side of a request a span is. */
    public enum FinishedSpanKind {
        /** Takes a request. */
        SERVER,
        /** Makes one. */
        CLIENT,
        /** Neither. */
        INTERNAL
    }

    /**
     * Where a span belongs.
     *
     * @param spanId 16 lower-case hexadecimal digits
     * @param remote whether somebody else made it
     */
    public record ParentSpan(String spanId, boolean remote) {}

    /** Something that happened at one time. */
    public record SpanEvent(Instant at, String name, Map<String, Object> attributes) {
        public SpanEvent {
            attributes = Map.copyOf(attributes);
        }
    }

    /**
     * How a span ended.
     *
     * @param failed whether it is to be shown as an error
     * @param description why, empty when it did not fail
     */
    public record SpanStatus(boolean failed, String description) {
        /** Nothing went wrong. */
        public static final SpanStatus OK = new SpanStatus(false, "");
    }
}
