package org.sallyport.execution;

import java.time.Duration;
import java.util.List;

/**
 * Counts of unfinished executions.
 *
 * @param counts one entry for each state and priority with executions
 */
public record UnfinishedCounts(List<UnfinishedCount> counts) {
    public UnfinishedCounts {
        counts = List.copyOf(counts);
    }

    /**
     * Number of executions of one state and priority.
     *
     * @param oldest the age of the oldest, by the store's clock
     */
    public record UnfinishedCount(ExecutionState state, int priority, int count, Duration oldest) {}
}
