package org.sallyport.journal;

import org.sallyport.execution.ExecutionState;

/**
 * How far the journal of an execution is stored. Shows whether a write took effect whose answer was lost.
 *
 * @param state its state
 * @param attempt how often a runner has claimed it
 * @param lastSeq sequence number of the last stored trace event, 0 when none
 * @param outputLength stored characters of stdout
 * @param errorOutputLength stored characters of stderr
 * @param cancelRequested whether a client requested its cancellation
 */
public record StoredPosition(
        ExecutionState state,
        int attempt,
        long lastSeq,
        long outputLength,
        long errorOutputLength,
        boolean cancelRequested) {}
