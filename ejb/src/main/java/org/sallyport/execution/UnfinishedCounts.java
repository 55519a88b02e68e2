package org.sallyport.execution;

import java.time.Duration;
import java.util.List;

/**
 * What has not ended, counted.
 *
 * @param counts one for each state and priority of which there is any
 */
public record UnfinishedCounts(List<UnfinishedCount> counts) {
    public UnfinishedCounts {
        counts = List.copyOf(counts);
    }

    /**
     * Executions of one state and priority.
     *
     * @param oldest the age of the oldest, by the store's clock
     */
    public record UnfinishedCount(ExecutionState state, int priority, int count, Duration oldest) {}
}
