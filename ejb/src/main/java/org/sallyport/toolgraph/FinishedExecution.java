package org.sallyport.toolgraph;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An execution that has ended, reduced to the data that the tool graph uses.
 *
 * @param tenant the owning tenant
 * @param finishedAt when it ended
 * @param intent its purpose in the submitter's words
 * @param steps its calls, in the order of its trace; empty when no call was really made
 */
public record FinishedExecution(String tenant, Instant finishedAt, Optional<String> intent, List<CallStep> steps) {
    public FinishedExecution {
        steps = List.copyOf(steps);
    }

    /** A trace event of a call. */
    public sealed interface CallStep {
        /** Returns the ordinal of the call. */
        long call();
    }

    /** The call started. */
    public record CallStarted(long call) implements CallStep {}

    /** A policy mocked the call. */
    public record CallMocked(long call) implements CallStep {}

    /**
     * The call ended.
     *
     * @param tool the called tool, as {@code backend.tool}
     * @param error code of the failure; empty on success
     * @param millis duration in milliseconds
     * @param replayed whether the reply was replayed from another execution
     */
    public record CallEnded(long call, String tool, Optional<String> error, long millis, boolean replayed)
            implements CallStep {}
}
