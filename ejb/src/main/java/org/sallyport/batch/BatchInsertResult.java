package org.sallyport.batch;

import org.sallyport.execution.BatchId;

/** What became of a batch. */
public sealed interface BatchInsertResult {

    /** Committed, all of it. */
    record BatchInserted() implements BatchInsertResult {}

    /** The same key and body were accepted before, as {@code id}. */
    record BatchAlreadyInserted(BatchId id) implements BatchInsertResult {}

    /** The key was used with another body. */
    record BatchKeyReused() implements BatchInsertResult {}

    /** The first submission with this key is being stored right now. */
    record BatchInsertInProgress() implements BatchInsertResult {}
}
