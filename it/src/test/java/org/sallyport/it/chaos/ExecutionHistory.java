package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;

/**
 * An execution as the service shows it.
 *
 * @param execution its state, result and output
 * @param trace all events of its trace
 */
public record ExecutionHistory(String id, JsonNode execution, List<JsonNode> trace) {
    public ExecutionHistory {
        trace = List.copyOf(trace);
    }

    /** Reads a history; empty if the execution does not exist. */
    public static Optional<ExecutionHistory> read(RestClient api, String id) {
        RestResponse answer = api.get(RestClient.EXECUTIONS + "/" + id);
        return answer.status() == 404
                ? Optional.empty()
                : Optional.of(new ExecutionHistory(id, answer.expectStatus(200).json(), api.getTrace(id)));
    }

    /** The events that changed the state of the execution. */
    List<JsonNode> stateChanges() {
        return trace.stream()
                .filter(event -> event.path("type").asText().equals("state"))
                .toList();
    }
}
