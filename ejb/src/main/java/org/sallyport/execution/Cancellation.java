package org.sallyport.execution;

/** What became of a request to cancel. */
public sealed interface Cancellation {

    /** No such execution for this tenant. */
    record NotFound() implements Cancellation {}

    /** It had ended before, as {@code state}. */
    record AlreadyTerminal(ExecutionState state) implements Cancellation {}

    /**
     * It was not running and is now {@link ExecutionState#CANCELLED}.
     *
     * @param calls whether calls of it are under way, of which the node must be told to which their answers come
     */
    record Done(boolean calls) implements Cancellation {}

    /** It runs; the request is stored, and its runner must be told. */
    record Requested() implements Cancellation {}
}
