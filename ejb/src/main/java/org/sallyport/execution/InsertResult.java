package org.sallyport.execution;

/** Outcome of storing an execution. */
public sealed interface InsertResult {

    /** The execution is committed. */
    record ExecutionInserted(ExecutionId id) implements InsertResult {}

    /** An execution with the same key and body was accepted before, as {@code id}. */
    record ExecutionAlreadyInserted(ExecutionId id) implements InsertResult {}

    /** The key was used with another request. */
    record ExecutionKeyConflict() implements InsertResult {}

    /** The first submission with this key is being stored right now. */
    record ExecutionInsertInProgress() implements InsertResult {}
}
