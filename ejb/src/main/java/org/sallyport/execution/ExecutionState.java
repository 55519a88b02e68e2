package org.sallyport.execution;

import java.util.EnumSet;
import java.util.Set;

/** The states of an execution and the only transitions between them. A terminal state is never left. */
public enum ExecutionState {
    /** Accepted and stored, not yet claimed by a runner. */
    PENDING,
    /** A runner holds it. */
    RUNNING,
    /** Parked: holds no memory and no thread. */
    WAITING,
    /** The script returned. */
    COMPLETED,
    /** The script threw, was refused, exceeded a limit, or was lost finally. */
    FAILED,
    /** Cancelled by a client. */
    CANCELLED,
    /** Exceeded its wall-clock limit or its deadline. */
    TIMED_OUT;

    /** Returns whether no state can follow. */
    public boolean isTerminal() {
        return successors().isEmpty();
    }

    /** Returns whether an execution may change from this state to {@code next}. */
    public boolean canTransitionTo(ExecutionState next) {
        return successors().contains(next);
    }

    /** Returns the states that may follow. */
    public Set<ExecutionState> successors() {
        return switch (this) {
            case PENDING -> EnumSet.of(RUNNING, FAILED, CANCELLED, TIMED_OUT);
            // Back to PENDING when its node is gone or has released it.
            case RUNNING -> EnumSet.of(PENDING, WAITING, COMPLETED, FAILED, CANCELLED, TIMED_OUT);
            case WAITING -> EnumSet.of(PENDING, RUNNING, FAILED, CANCELLED, TIMED_OUT);
            case COMPLETED, FAILED, CANCELLED, TIMED_OUT -> EnumSet.noneOf(ExecutionState.class);
        };
    }
}
