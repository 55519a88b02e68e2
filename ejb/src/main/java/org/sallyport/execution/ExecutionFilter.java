package org.sallyport.execution;

import java.util.Optional;
import java.util.Set;

/**
 * Which executions a list shows.
 *
 * @param states the states to show; empty for all
 * @param capability the name of the capability whose executions to show, or one version of it as {@code name@version}
 */
public record ExecutionFilter(Set<ExecutionState> states, Optional<String> capability) {
    public ExecutionFilter {
        states = Set.copyOf(states);
    }

    /** One that does not look at capabilities. */
    public ExecutionFilter(Set<ExecutionState> states) {
        this(states, Optional.empty());
    }
}
