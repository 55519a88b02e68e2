package org.sallyport.toolgraph;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An execution that has ended, as far as it can teach.
 *
 * @param tenant whose it was
 * @param finishedAt when it ended
 * @param intent what it was for, in the words of whoever submitted it
 * @param steps its calls, in the order of its trace; none when nothing was really called
 */
public record FinishedExecution(String tenant, Instant finishedAt, Optional<String> intent, List<CallStep> steps) {
    public FinishedExecution {
        steps = List.copyOf(steps);
    }

    /** Something that the trace says of a call, by the call's ordinal. */
    public sealed interface CallStep {
        /** Ordinal of the call. */
        long call();
    }

    /** It began. */
    public record CallStarted(long call) implements CallStep {}

    /** A policy answered it in the tool's place. */
    public record CallMocked(long call) implements CallStep {}

    /**
     * It ended.
     *
     * @param tool what was called, as {@code backend.tool}
     * @param error code of the failure; empty when it succeeded
     * @param millis how long it took
     * @param replayed whether its answer was another execution's
     */
    public record CallEnded(long call, String tool, Optional<String> error, long millis, boolean replayed)
            implements CallStep {}
}
