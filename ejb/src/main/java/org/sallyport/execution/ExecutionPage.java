package org.sallyport.execution;

import java.util.List;
import java.util.Optional;

/**
 * One page of a list, newest first. It may hold fewer items than requested, even none, although more follow: a page
 * examines a bounded number of executions.
 *
 * @param items the executions
 * @param next cursor of the next page, which has only smaller ids; empty when nothing follows
 */
public record ExecutionPage(List<ExecutionSummary> items, Optional<ExecutionId> next) {
    public ExecutionPage {
        items = List.copyOf(items);
    }
}
