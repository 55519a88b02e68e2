package org.sallyport.tracecontext;

import java.util.Optional;
import java.util.UUID;

/** Assigns executions to traces and decides whether they are recorded. Immutable. */
public final class TraceSampler {
    /** Creates no traces. */
    public static final TraceSampler OFF = new TraceSampler(-1);

    private static final int RANDOM_DIGITS = 14;
    private static final double SAMPLE_SPACE = Math.pow(2, 4.0 * RANDOM_DIGITS);

    private final double ratio;

    /** @param ratio ratio of recorded traces among those that start here, 0 to 1 */
    public TraceSampler(double ratio) {
        this.ratio = ratio;
    }

    /**
     * Returns the trace of a new execution: the caller's trace with the caller's sampling decision, or a new trace that
     * the ratio decides. Empty when tracing is off.
     */
    public Optional<TraceContext> startTrace(UUID execution, Optional<TraceContext> caller) {
        if (ratio < 0) {
            return Optional.empty();
        }
        return caller.or(() -> {
            String trace = SpanIdGenerator.traceId(execution);
            return Optional.of(new TraceContext(trace, Optional.empty(), isSampled(trace) ? 1 : 0, ""));
        });
    }

    /** Uses the same digits of the id as other samplers. */
    private boolean isSampled(String trace) {
        return Long.parseLong(trace.substring(trace.length() - RANDOM_DIGITS), 16) < ratio * SAMPLE_SPACE;
    }
}
