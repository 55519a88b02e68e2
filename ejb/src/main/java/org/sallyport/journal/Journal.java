package org.sallyport.journal;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.SuspendRequest;

/**
 * Stores the events and the output of a run. Each write is one transaction under the run's fencing token: it takes
 * effect as a whole or, when the token is no longer the newest or the execution has ended, not at all. Throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. The writer then repeats the
 * write, with the same entries or with later ones behind them. Entries that are stored already are not stored again.
 * When the first write has ended the run, its repetition finds that the execution is not held any more;
 * {@link #findPosition} tells whether that write took effect. Thread-safe.
 */
public interface Journal {

    /**
     * Adds {@code entries}. Returns false when the writer no longer holds the execution and must stop, also because the
     * store has lost entries that were stored before.
     */
    boolean append(FencingToken fence, JournalBatch entries);

    /**
     * Adds {@code entries} and releases the execution, in one commit: it is {@code PENDING} and any node may claim it.
     * Its deadline and its stored data stay.
     */
    ReleaseResult release(FencingToken fence, JournalBatch entries);

    /**
     * Adds {@code entries} and parks the execution, in one commit: {@code WAITING} until it is resumed. No event is
     * missed: an event either prevents the parking or finds the execution parked.
     */
    SuspendRequest.SuspendResult park(FencingToken fence, JournalBatch entries, SuspendRequest parking);

    /**
     * Adds {@code entries} and ends the execution, in one commit. An earlier cancel request takes precedence over every
     * other outcome, because the client was told that the execution is cancelled. A script that is to be saved is saved
     * in the same commit. The store adds the closing {@link TraceEvent.StateChanged} itself.
     *
     * @return the terminal state that this call wrote; empty when another writer has ended or claimed the execution
     */
    Optional<ExecutionState> finish(FencingToken fence, ExecutionOutcome outcome, JournalBatch entries);

    /** Returns how far the journal of the execution is stored; empty when there is no such execution. */
    Optional<StoredPosition> findPosition(ExecutionId id);

    /** Returns the ordinal of the last call that the execution's attempts have started, 0 when there is none. */
    long findLastCall(ExecutionId id);

    /**
     * Returns one page of the stored entries of the execution's attempts, in order; the input of {@link JournalReplay}.
     * The page has at most {@link TracePager#PAGE_BYTES} bytes, but at least one entry, and is empty only after the
     * last one. {@link TracePager} reads all entries.
     *
     * @param after only entries with a larger sequence number
     * @param limit maximum number of entries
     */
    List<TraceEvent> readEntries(ExecutionId id, long after, int limit);

    /**
     * Returns one page of the trace, in order, without the internal {@link TraceEvent.ReplayLogRecorded}. The size of
     * the page is bounded as that of {@link #readEntries}.
     *
     * @param after only events with a larger sequence number
     * @param limit maximum number of events
     */
    List<TraceEvent> readTrace(ExecutionId id, long after, int limit);
}
