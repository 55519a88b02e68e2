package org.sallyport.journal;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.SuspendRequest;

/**
 * What a run writes. Each write is one transaction under the run's fence: it takes effect whole or, when the fence is no
 * longer the newest or the execution has ended, not at all. Throws {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface Journal {

    /** Adds {@code entries}; false when the writer no longer holds the execution and must stop. */
    boolean append(FencingToken fence, JournalBatch entries);

    /**
     * Adds {@code entries} and gives the execution back, in one commit: {@code PENDING}, for whoever claims it next. Its
     * deadline stays, and so does what is stored.
     *
     * @return false when the writer no longer holds the execution, or a caller asked to cancel it
     */
    boolean release(FencingToken fence, JournalBatch entries);

    /**
     * Adds {@code entries} and parks the execution, in one commit: {@code WAITING}, until it is woken. No event comes
     * between: either it keeps the execution from being parked, or it finds it parked.
     */
    SuspendRequest.SuspendResult park(FencingToken fence, JournalBatch entries, SuspendRequest parking);

    /**
     * Adds {@code entries} and ends the execution, in one commit. A caller's request to cancel that came first wins over
     * every other outcome: the caller was told so. A script that is to be kept is kept in the same commit. The store adds the closing {@link ApiTraceEvent.StateChanged} itself.
     *
     * @return the terminal state that this call wrote; empty when somebody else had ended or taken the execution
     */
    Optional<ExecutionState> finish(FencingToken fence, ExecutionOutcome outcome, JournalBatch entries);

    /** All that is stored of an execution's runs, in order: what {@link JournalReplay} is made of. */
    List<TraceEvent> readEntries(ExecutionId id);

    /**
     * All that is stored of an execution's runs, page by page.
     *
     * @param after only entries with a larger sequence number
     * @param limit at most so many
     */
    List<TraceEvent> readEntries(ExecutionId id, long after, int limit);

    /**
     * The trace, in order, without what is not for people: {@link ApiTraceEvent.ReplayLogRecorded}.
     *
     * @param after only events with a larger sequence number
     * @param limit at most so many
     */
    List<TraceEvent> readTrace(ExecutionId id, long after, int limit);
}
