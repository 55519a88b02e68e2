package org.sallyport.execution;

import java.util.List;
import java.util.Optional;

/**
 * One page of a list, newest first. It may hold less than was asked for, even nothing, although more follows: a page looks at a
 * bounded number of executions.
 *
 * @param items the executions
 * @param next where the page after it begins: at what comes before this id; empty when nothing follows
 */
public record ExecutionPage(List<ExecutionSummary> items, Optional<ExecutionId> next) {
    public ExecutionPage {
        items = List.copyOf(items);
    }
}
