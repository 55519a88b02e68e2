package org.sallyport.journal;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.ExecutionProgress;
import org.sallyport.execution.OutputChunk;

/**
 * The entries that a run has to write since its last write.
 *
 * @param events trace events, in order, following the stored ones without a gap
 * @param output pieces of output, in the order in which the script wrote both streams, following the stored output
 *     without a gap
 * @param truncated whether output has been dropped so far
 * @param progress the new progress, when the script reported any
 * @param blockedAttempts the blocked attempts of the execution so far, when they have changed
 */
public record JournalBatch(
        List<TraceEvent> events,
        List<OutputChunk> output,
        boolean truncated,
        Optional<ExecutionProgress> progress,
        Optional<BlockedAttempts> blockedAttempts) {
    public static final JournalBatch NONE = new JournalBatch(List.of(), List.of(), false);

    public JournalBatch {
        events = List.copyOf(events);
        output = List.copyOf(output);
    }

    /** Creates a batch without progress and blocked attempts. */
    public JournalBatch(List<TraceEvent> events, List<OutputChunk> output, boolean truncated) {
        this(events, output, truncated, Optional.empty(), Optional.empty());
    }

    /** Returns whether there is nothing to write. Blocked attempts are written only together with something else. */
    public boolean isEmpty() {
        return events.isEmpty() && output.isEmpty() && !truncated && progress.isEmpty();
    }
}
