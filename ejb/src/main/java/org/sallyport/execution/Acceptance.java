package org.sallyport.execution;

/** What became of a submission. */
public sealed interface Acceptance {

    /** Committed. */
    record Stored(ExecutionId id) implements Acceptance {}

    /** The same key and body were accepted before, as {@code id}. */
    record Replayed(ExecutionId id) implements Acceptance {}

    /** The key was used with another body. */
    record KeyReused() implements Acceptance {}

    /** The first submission with this key is being stored right now. */
    record InProgress() implements Acceptance {}
}
