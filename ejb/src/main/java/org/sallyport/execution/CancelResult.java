package org.sallyport.execution;

/** What became of a request to cancel. */
public sealed interface CancelResult {

    /** No such execution for this tenant. */
    record CancelTargetNotFound() implements CancelResult {}

    /** It had ended before, as {@code state}. */
    record AlreadyTerminal(ExecutionState state) implements CancelResult {}

    /**
     * It was not running and is now {@link ExecutionState#CANCELLED}.
     *
     * @param hasOpenCalls whether calls of it are under way, of which the node must be told to which their answers come
     */
    record CancelledImmediately(boolean hasOpenCalls) implements CancelResult {}

    /** It runs; the request is stored, and its runner must be told. */
    record CancelRequested() implements CancelResult {}
}
