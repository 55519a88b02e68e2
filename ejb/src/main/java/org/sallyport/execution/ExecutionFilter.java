package org.sallyport.execution;

import java.util.Set;

/**
 * Which executions a list shows.
 *
 * @param states the states to show; empty for all
 */
public record ExecutionFilter(Set<ExecutionState> states) {
    public ExecutionFilter {
        states = Set.copyOf(states);
    }
}
