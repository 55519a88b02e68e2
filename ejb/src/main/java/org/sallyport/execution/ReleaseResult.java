package org.sallyport.execution;

/** Outcome of releasing an execution. Nothing is written unless it is {@link #RELEASED}. */
public enum ReleaseResult {
    /** The execution is pending again. */
    RELEASED,
    /** A client requested the cancellation of the execution, which the writer still holds. */
    CANCEL_REQUESTED,
    /** The writer no longer holds the execution, or the store has lost entries that were stored before. */
    LOST
}
