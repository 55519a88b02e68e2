package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * One page of a list.
 *
 * @param next the cursor of the page that follows, if there is one
 * @param json the page as it came
 */
public record Page(List<Execution> executions, Optional<String> next, JsonNode json) {
    public Page {
        executions = List.copyOf(executions);
    }
}
