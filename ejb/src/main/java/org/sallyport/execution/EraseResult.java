package org.sallyport.execution;

/** Outcome of a request to erase an execution. */
public sealed interface EraseResult {

    /** The execution, its nested executions and all that they held are deleted. */
    record ExecutionErased() implements EraseResult {}

    /** The tenant has no such execution; it may have been deleted before. */
    record EraseTargetNotFound() implements EraseResult {}

    /**
     * An execution that needs the data has not ended: the execution itself, one that is nested in it, one in which it
     * is nested, or a re-run of it. Nothing was deleted, or only nested executions that had ended.
     *
     * @param execution the execution that has not ended
     * @param state its state
     */
    record EraseBlocked(ExecutionId execution, ExecutionState state) implements EraseResult {}
}
