package org.sallyport.execution;

import java.time.Duration;
import java.util.List;

/**
 * What has not ended, counted.
 *
 * @param rows one for each state and priority of which there is any
 */
public record Backlog(List<Row> rows) {
    public Backlog {
        rows = List.copyOf(rows);
    }

    /**
     * Executions of one state and priority.
     *
     * @param oldest the age of the oldest, by the store's clock
     */
    public record Row(ExecutionState state, int priority, int count, Duration oldest) {}
}
