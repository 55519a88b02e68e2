package org.sallyport.tracecontext;

import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a request says of the trace that it is part of.
 *
 * @param traceparent which span makes it
 * @param tracestate empty when there is none
 */
public record TraceHeaders(String traceparent, String tracestate) {
    /** Name of the first. */
    public static final String TRACEPARENT = "traceparent";

    /** Name of the second. */
    public static final String TRACESTATE = "tracestate";

    /** Reads what came with a message, as strictly as {@link TraceContext#of}. */
    public static Optional<TraceHeaders> of(@Nullable String traceparent, @Nullable String tracestate) {
        return TraceContext.of(traceparent, tracestate)
                .map(context ->
                        new TraceHeaders(context.traceparent(context.parent().orElseThrow()), context.state()));
    }

    /** Gives each that there is to {@code consumer}, name first. */
    public void forEach(BiConsumer<String, String> consumer) {
        consumer.accept(TRACEPARENT, traceparent);
        if (!tracestate.isEmpty()) {
            consumer.accept(TRACESTATE, tracestate);
        }
    }
}
