package org.sallyport.journal;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Parking;

/**
 * What a run writes. Each write is one transaction under the run's fence: it takes effect whole or, when the fence is no
 * longer the newest or the execution has ended, not at all. Throws {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface Journal {

    /** Adds {@code entries}; false when the writer no longer holds the execution and must stop. */
    boolean append(Fence fence, Entries entries);

    /**
     * Adds {@code entries} and gives the execution back, in one commit: {@code PENDING}, for whoever claims it next. Its
     * deadline stays, and so does what is stored.
     *
     * @return false when the writer no longer holds the execution, or a caller asked to cancel it
     */
    boolean release(Fence fence, Entries entries);

    /**
     * Adds {@code entries} and parks the execution, in one commit: {@code WAITING}, until it is woken. No event comes
     * between: either it keeps the execution from being parked, or it finds it parked.
     */
    Parking.Answer park(Fence fence, Entries entries, Parking parking);

    /**
     * Adds {@code entries} and ends the execution, in one commit. A caller's request to cancel that came first wins over
     * every other outcome: the caller was told so. A script that is to be kept is kept in the same commit. The store adds the closing {@link TraceEvent.StateChanged} itself.
     *
     * @return the terminal state that this call wrote; empty when somebody else had ended or taken the execution
     */
    Optional<ExecutionState> finish(Fence fence, Outcome outcome, Entries entries);

    /** All that is stored of an execution's runs, in order: what {@link Replay} is made of. */
    List<TraceEvent> recording(ExecutionId id);

    /**
     * All that is stored of an execution's runs, page by page.
     *
     * @param after only entries with a larger sequence number
     * @param limit at most so many
     */
    List<TraceEvent> entries(ExecutionId id, long after, int limit);

    /**
     * The trace, in order, without what is not for people: {@link TraceEvent.Recorded}.
     *
     * @param after only events with a larger sequence number
     * @param limit at most so many
     */
    List<TraceEvent> trace(ExecutionId id, long after, int limit);
}
