package org.sallyport.execution;

/**
 * Authorizes one attempt to write: a write with a token that is no longer the newest matches no row, and its writer
 * stops silently.
 *
 * @param id the execution
 * @param attempt the number of its claim, from 1
 */
public record FencingToken(ExecutionId id, int attempt) {
    /** Returns the name of the attempt for logs and messages. */
    @Override
    public String toString() {
        return id + "#" + attempt;
    }
}
