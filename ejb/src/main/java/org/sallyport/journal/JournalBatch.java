package org.sallyport.journal;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionProgress;

/**
 * What a run has to write since it last wrote.
 *
 * @param events trace events, in order, following what is stored without a gap
 * @param output pieces of output, in order, each stream following what is stored without a gap
 * @param truncated whether output has been dropped by now
 * @param progress how far the script says it is, when it said something new
 */
public record JournalBatch(
        List<TraceEvent> events, List<OutputChunk> output, boolean truncated, Optional<ExecutionProgress> progress) {
    public static final JournalBatch NONE = new JournalBatch(List.of(), List.of(), false);

    public JournalBatch {
        events = List.copyOf(events);
        output = List.copyOf(output);
    }

    /** Entries without a word on progress. */
    public JournalBatch(List<TraceEvent> events, List<OutputChunk> output, boolean truncated) {
        this(events, output, truncated, Optional.empty());
    }

    /** Whether there is nothing to write. */
    public boolean isEmpty() {
        return events.isEmpty() && output.isEmpty() && !truncated && progress.isEmpty();
    }
}
