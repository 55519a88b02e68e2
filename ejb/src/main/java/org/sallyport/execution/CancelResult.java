package org.sallyport.execution;

/** Outcome of a cancel request. */
public sealed interface CancelResult {

    /** The tenant has no such execution. */
    record CancelTargetNotFound() implements CancelResult {}

    /** The execution had already ended as {@code state}. */
    record AlreadyTerminal(ExecutionState state) implements CancelResult {}

    /**
     * The execution was not running and is now {@link ExecutionState#CANCELLED}.
     *
     * @param hasOpenCalls whether it has open calls; the node that receives their replies must then be notified
     */
    record CancelledImmediately(boolean hasOpenCalls) implements CancelResult {}

    /**
     * The execution is running; a request is stored, and the caller must notify its runner.
     *
     * @param repeated whether an earlier request was stored, which stays
     */
    record CancelRequested(boolean repeated) implements CancelResult {}
}
