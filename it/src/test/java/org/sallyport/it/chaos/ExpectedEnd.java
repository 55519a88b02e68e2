package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What the caller of an execution knows about its end.
 *
 * @param faults describes each fault of the state, result or error of an ended execution
 * @param output the output of the script; empty if the caller does not know it
 * @param cancelRequested whether a caller asked the service to cancel the execution
 */
public record ExpectedEnd(Function<JsonNode, List<String>> faults, Optional<String> output, boolean cancelRequested) {
    /** The execution completes with a result that the predicate accepts, and with any output. */
    public static ExpectedEnd completed(Predicate<JsonNode> isExpectedResult) {
        return new ExpectedEnd(
                execution -> {
                    if (!execution.path("state").asText().equals("COMPLETED")) {
                        return List.of("was to complete");
                    }
                    return isExpectedResult.test(execution.path("result")) ? List.of() : List.of("another result");
                },
                Optional.empty(),
                false);
    }

    /** A copy with the output that the script prints. */
    public ExpectedEnd withOutput(String text) {
        return new ExpectedEnd(faults, Optional.of(text), cancelRequested);
    }
}
