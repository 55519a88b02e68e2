package org.sallyport.batch;

import org.sallyport.execution.BatchId;

/** What became of a batch. */
public sealed interface BatchAcceptance {

    /** Committed, all of it. */
    record Stored() implements BatchAcceptance {}

    /** The same key and body were accepted before, as {@code id}. */
    record Replayed(BatchId id) implements BatchAcceptance {}

    /** The key was used with another body. */
    record KeyReused() implements BatchAcceptance {}

    /** The first submission with this key is being stored right now. */
    record InProgress() implements BatchAcceptance {}
}
