package org.sallyport.execution;

/** What became of a submission. */
public sealed interface InsertResult {

    /** Committed. */
    record ExecutionInserted(ExecutionId id) implements InsertResult {}

    /** The same key and body were accepted before, as {@code id}. */
    record ExecutionAlreadyInserted(ExecutionId id) implements InsertResult {}

    /** The key was used with another body. */
    record ExecutionKeyConflict() implements InsertResult {}

    /** The first submission with this key is being stored right now. */
    record ExecutionInsertInProgress() implements InsertResult {}
}
