package org.sallyport.tracecontext;

import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Trace headers of a request.
 *
 * @param traceparent the trace and the span that makes the request
 * @param tracestate vendor data; empty when there is none
 */
public record TraceHeaders(String traceparent, String tracestate) {
    /** Name of the header {@code traceparent}. */
    public static final String TRACEPARENT = "traceparent";

    /** Name of the header {@code tracestate}. */
    public static final String TRACESTATE = "tracestate";

    /** Parses the headers of a message, as strictly as {@link TraceContext#of}. */
    public static Optional<TraceHeaders> of(@Nullable String traceparent, @Nullable String tracestate) {
        return TraceContext.of(traceparent, tracestate)
                .map(context ->
                        new TraceHeaders(context.traceparent(context.parent().orElseThrow()), context.state()));
    }

    /** Passes name and value of each present header to {@code consumer}. */
    public void forEach(BiConsumer<String, String> consumer) {
        consumer.accept(TRACEPARENT, traceparent);
        if (!tracestate.isEmpty()) {
            consumer.accept(TRACESTATE, tracestate);
        }
    }
}
