package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * One page of a list.
 *
 * @param nextCursor the cursor of the page that follows, if there is one
 * @param json the page as it came
 */
public record ApiExecutionPage(List<ApiExecution> executions, Optional<String> nextCursor, JsonNode json) {
    public ApiExecutionPage {
        executions = List.copyOf(executions);
    }
}
