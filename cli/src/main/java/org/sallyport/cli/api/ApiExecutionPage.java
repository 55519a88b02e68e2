package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * One page of executions.
 *
 * @param nextCursor cursor of the next page; empty on the last page
 * @param json the page as received
 */
public record ApiExecutionPage(List<ApiExecution> executions, Optional<String> nextCursor, JsonNode json) {
    public ApiExecutionPage {
        executions = List.copyOf(executions);
    }
}
