package org.sallyport.execution;

/**
 * The right of one attempt to write: a write under a fence that is no longer the newest matches no row, and its writer
 * stops silently.
 *
 * @param id the execution
 * @param attempt the number of its claim, from 1
 */
public record FencingToken(ExecutionId id, int attempt) {
    /** Names the attempt in logs and messages. */
    @Override
    public String toString() {
        return id + "#" + attempt;
    }
}
