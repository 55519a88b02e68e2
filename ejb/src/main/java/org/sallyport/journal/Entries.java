package org.sallyport.journal;

import java.util.List;

/**
 * What a run has to write since it last wrote.
 *
 * @param events trace events, in order, following what is stored without a gap
 * @param output pieces of output, in order, each stream following what is stored without a gap
 * @param truncated whether output has been dropped by now
 */
public record Entries(List<TraceEvent> events, List<OutputChunk> output, boolean truncated) {
    public static final Entries NONE = new Entries(List.of(), List.of(), false);

    public Entries {
        events = List.copyOf(events);
        output = List.copyOf(output);
    }

    /** Whether there is nothing to write. */
    public boolean isEmpty() {
        return events.isEmpty() && output.isEmpty() && !truncated;
    }
}
