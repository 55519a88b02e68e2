package org.sallyport.connector.sallyport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.Set;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Maps results of remote executions to tool results. */
final class RemoteResultMapper {
    private static final int MAX_MESSAGE_LENGTH = 2_000;

    /** Error codes of executions that do not tell the outcome of the call in progress. */
    private static final Set<String> UNKNOWN_OUTCOME_CODES = Set.of(
            "runner-lost",
            "replay-failed",
            "worker-lost",
            "internal-error",
            "dead-letter",
            "sandbox-not-allowed",
            "sandbox-unavailable",
            "protocol-violation",
            "non-deterministic-replay",
            "record-limit");

    /** Codes of problems with which a request is refused before an execution is stored. */
    private static final Set<ToolErrorCode> REFUSALS = Set.of(
            ToolErrorCode.INVALID_ARGUMENTS,
            ToolErrorCode.TOOLS_MISSING,
            ToolErrorCode.SANDBOX_NOT_ALLOWED,
            ToolErrorCode.VARIABLES_NOT_SET);

    private RemoteResultMapper() {}

    /** Limits the length of a remote text that is shown to people. */
    static String truncate(String text) {
        return text.length() > MAX_MESSAGE_LENGTH ? text.substring(0, MAX_MESSAGE_LENGTH) + "…" : text;
    }

    /**
     * Maps an ended execution to a result.
     *
     * @param details details of the error from the remote trace, if available
     */
    static ToolResult toToolResult(RemoteTarget target, JsonNode execution, Optional<Json> details) {
        JsonNode error = execution.path("error");
        String message = "'" + target.name() + "' there: "
                + truncate(error.path("message").asText(execution.path("state").asText()));
        return switch (execution.path("state").asText()) {
            case "COMPLETED" ->
                ToolResult.success(
                        execution.has("result")
                                ? new Json(execution.path("result").toString())
                                : Json.NULL);
            case "TIMED_OUT" ->
                failure(
                        target.isCapability() ? ToolErrorCode.CAPABILITY_FAILED : timeoutCode(target),
                        message,
                        executionDetails(execution));
            case "CANCELLED" ->
                failure(
                        target.repeatable() ? ToolErrorCode.CANCELLED : ToolErrorCode.OUTCOME_UNKNOWN,
                        "'" + target.name() + "' was cancelled by the other installation"
                                + (target.repeatable() ? "" : "; it may have had its effect"),
                        executionDetails(execution));
            default ->
                failure(
                        code(target, error.path("code").asText()),
                        message,
                        details.orElse(executionDetails(execution)));
        };
    }

    private static ToolErrorCode code(RemoteTarget target, String said) {
        if (UNKNOWN_OUTCOME_CODES.contains(said)) {
            return target.isCapability() ? ToolErrorCode.CAPABILITY_FAILED : lostCallCode(target);
        } else if (target.isCapability()) {
            return ToolErrorCode.CAPABILITY_FAILED;
        } else if (said.equals("result-too-large")) {
            return ToolErrorCode.TOO_LARGE;
        }
        ToolErrorCode code = ToolErrorCode.of(said).orElse(ToolErrorCode.TOOL_FAILED);
        return code == ToolErrorCode.TIMEOUT ? timeoutCode(target) : code;
    }

    /** Error code of a call that did not end in time in the other installation, and may have had its effect. */
    private static ToolErrorCode timeoutCode(RemoteTarget target) {
        return target.repeatable() ? ToolErrorCode.TIMEOUT : ToolErrorCode.OUTCOME_UNKNOWN;
    }

    /** Error code of a call whose response was lost. */
    static ToolErrorCode lostCallCode(RemoteTarget target) {
        return target.repeatable() ? ToolErrorCode.BACKEND_UNAVAILABLE : ToolErrorCode.OUTCOME_UNKNOWN;
    }

    /** Uses the same members as the details of a capability that failed locally. */
    private static Json executionDetails(JsonNode execution) {
        ObjectNode details = RemoteInstallationClient.JSON.createObjectNode();
        details.put("execution", execution.path("id").asText());
        details.put("state", execution.path("state").asText());
        details.put("code", execution.path("error").path("code").asText(""));
        return new Json(details.toString());
    }

    private static ToolResult failure(ToolErrorCode code, String message, Json details) {
        return new ToolResult.ToolFailure(new ToolError(code, message, Optional.of(details)));
    }

    /** Maps a submission that was refused permanently. */
    static ToolResult refusedResult(RemoteTarget target, RemoteInstallationClient.RemoteResponse answer) {
        String problem = answer.problemCode();
        ToolErrorCode code = switch (answer.status()) {
            case 401 -> ToolErrorCode.BACKEND_UNAVAILABLE;
            case 403 -> ToolErrorCode.DENIED;
            case 404 -> ToolErrorCode.TOOL_NOT_FOUND;
            case 413 -> ToolErrorCode.TOO_LARGE;
            case 429 -> problem.equals("quota-exceeded") ? ToolErrorCode.QUOTA_EXCEEDED : ToolErrorCode.BACKEND_BUSY;
            default -> ToolErrorCode.of(problem).filter(REFUSALS::contains).orElse(ToolErrorCode.TOOL_FAILED);
        };
        ObjectNode details = RemoteInstallationClient.JSON.createObjectNode().put("status", answer.status());
        if (!problem.isEmpty()) {
            details.put("problem", truncate(problem));
        }
        String said = answer.status() == 401 ? "the key is not accepted" : answer.failureReason();
        return failure(
                code,
                "'" + target.name() + "' was refused by the other installation: " + said,
                new Json(details.toString()));
    }
}
