package org.sallyport.tracecontext;

import java.util.Optional;
import java.util.UUID;

/** Says in which trace an execution is, and whether it is recorded. Immutable. */
public final class TraceSampler {
    /** There are no traces. */
    public static final TraceSampler OFF = new TraceSampler(-1);

    private static final int RANDOM_DIGITS = 14;
    private static final double SAMPLE_SPACE = Math.pow(2, 4.0 * RANDOM_DIGITS);

    private final double ratio;

    /** @param ratio of the traces that begin here, how many are recorded: 0 to 1 */
    public TraceSampler(double ratio) {
        this.ratio = ratio;
    }

    /**
     * The trace of a new execution: its caller's with the caller's decision, or one of its own, of which the ratio decides. Empty
     * when there are no traces.
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

    /** By the digits that samplers elsewhere decide by, too. */
    private boolean isSampled(String trace) {
        return Long.parseLong(trace.substring(trace.length() - RANDOM_DIGITS), 16) < ratio * SAMPLE_SPACE;
    }
}
