package org.sallyport.callback;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.RetryPolicy.RetryStatus;
import org.sallyport.tool.Json;
import org.sallyport.tool.LoneSurrogateReplacer;

/**
 * Builds the bounded payload of a callback for an execution that has ended, with the member names of the REST API. Lone
 * surrogates are replaced as in the REST API.
 */
final class CallbackPayload {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int MAX_MESSAGE_LENGTH = 4_000;

    private CallbackPayload() {}

    /**
     * Returns the body, which is identical for every attempt.
     *
     * @param mostBytes maximum size of the result; a larger result is omitted
     */
    static byte[] encode(Execution execution, int mostBytes) {
        ObjectNode json = MAPPER.createObjectNode().put("type", "execution.ended");
        ExecutionSummary summary = execution.summary();
        ObjectNode shown = json.putObject("execution");
        shown.put("id", summary.id().toString());
        shown.put("state", summary.state().name());
        summary.capability().ifPresent(capability -> shown.put("capability", capability.toString()));
        summary.batch().ifPresent(batch -> shown.put("batch", batch.toString()));
        summary.rerunOf().ifPresent(original -> shown.put("rerunOf", original.toString()));
        execution.retry().ifPresent(retry -> addRetry(shown.putObject("retry"), summary.id(), retry));
        addResult(shown, execution, mostBytes);
        execution.error().ifPresent(error -> shown.set("error", errorJson(error)));
        shown.put("outputLength", execution.outputLength());
        shown.put("errorOutputLength", execution.errorOutputLength());
        shown.put("attempt", summary.attempt());
        shown.put("createdAt", summary.createdAt().toString());
        summary.startedAt().ifPresent(at -> shown.put("startedAt", at.toString()));
        summary.finishedAt().ifPresent(at -> shown.put("finishedAt", at.toString()));
        ObjectNode labels = shown.putObject("labels");
        summary.labels().forEach(labels::put);
        shown.putObject("links").put("self", "/api/v1/executions/" + summary.id());
        return LoneSurrogateReplacer.replaceInJson(json.toString()).getBytes(StandardCharsets.UTF_8);
    }

    /** The receiver knows the first attempt, whose id the submission was answered with. */
    private static void addRetry(ObjectNode json, ExecutionId id, RetryStatus retry) {
        json.put("attempt", retry.attempt())
                .put("first", retry.first().orElse(id).toString());
        retry.previous().ifPresent(previous -> json.put("previous", previous.toString()));
        retry.stop().ifPresent(stop -> json.put("notRetried", stop.text()));
    }

    private static void addResult(ObjectNode shown, Execution execution, int mostBytes) {
        Json result = execution.result().orElse(null);
        if (result == null) {
            return;
        }
        if (result.text().getBytes(StandardCharsets.UTF_8).length > mostBytes) {
            shown.put("resultOmitted", true);
        } else {
            shown.putRawValue("result", new RawValue(result.text()));
        }
    }

    private static ObjectNode errorJson(ExecutionError error) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("code", error.code());
        json.put("culprit", error.origin().name().toLowerCase(Locale.ROOT));
        String message = error.message();
        json.put("message", message.length() > MAX_MESSAGE_LENGTH ? message.substring(0, MAX_MESSAGE_LENGTH) : message);
        if (error.line() > 0) {
            json.put("line", error.line());
            json.put("column", error.column());
        }
        return json;
    }
}
