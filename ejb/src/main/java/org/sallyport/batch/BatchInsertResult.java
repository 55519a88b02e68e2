package org.sallyport.batch;

import org.sallyport.execution.BatchId;

/** Outcome of storing a batch. */
public sealed interface BatchInsertResult {

    /** The whole batch is committed. */
    record BatchInserted() implements BatchInsertResult {}

    /** A batch with the same key and body was accepted before, as {@code id}. */
    record BatchAlreadyInserted(BatchId id) implements BatchInsertResult {}

    /** The key was used with another request. */
    record BatchKeyReused() implements BatchInsertResult {}

    /** The first submission with this key is being stored right now. */
    record BatchInsertInProgress() implements BatchInsertResult {}

    /** The schedule for which the batch was made was changed, or another node has handled its time. */
    record BatchInsertSuperseded() implements BatchInsertResult {}
}
