package org.sallyport.execution;

import java.util.EnumSet;
import java.util.Set;

/** The states of an execution and the only moves between them. A terminal state is never left. */
public enum ExecutionState {
    /** Accepted and stored, not yet taken by a runner. */
    PENDING,
    /** A runner holds it. */
    RUNNING,
    /** Parked: no memory and no thread held. */
    WAITING,
    /** The script returned. */
    COMPLETED,
    /** The script threw, was refused, used up a limit, or was lost for good. */
    FAILED,
    /** Cancelled by a caller. */
    CANCELLED,
    /** Passed its wall-clock limit. */
    TIMED_OUT;

    /** Whether nothing can follow. */
    public boolean isTerminal() {
        return successors().isEmpty();
    }

    /** Whether an execution may go from this state to {@code next}. */
    public boolean canTransitionTo(ExecutionState next) {
        return successors().contains(next);
    }

    /** The states that may follow. */
    public Set<ExecutionState> successors() {
        return switch (this) {
            case PENDING -> EnumSet.of(RUNNING, FAILED, CANCELLED, TIMED_OUT);
            // Back to PENDING when the node that held it is gone.
            case RUNNING -> EnumSet.of(PENDING, WAITING, COMPLETED, FAILED, CANCELLED, TIMED_OUT);
            case WAITING -> EnumSet.of(PENDING, RUNNING, FAILED, CANCELLED, TIMED_OUT);
            case COMPLETED, FAILED, CANCELLED, TIMED_OUT -> EnumSet.noneOf(ExecutionState.class);
        };
    }
}
