package org.sallyport.connector;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Answers without secrets. */
final class Redacted {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Redacted() {}

    static ToolResult of(ToolResult result, Redaction redaction) {
        if (result instanceof ToolResult.Success success) {
            String clean = redaction.of(success.value().text());
            return clean.equals(success.value().text()) ? result : success(clean);
        } else if (result instanceof ToolResult.Failure failure) {
            ToolError error = failure.error();
            return new ToolResult.Failure(new ToolError(
                    error.code(),
                    redaction.of(error.message()),
                    error.details().map(details -> new Json(redaction.of(details.text())))));
        }
        return result;
    }

    private static ToolResult success(String clean) {
        try {
            JSON.readTree(clean);
            return ToolResult.success(new Json(clean));
        } catch (JsonProcessingException e) {
            // The secret was no part of a text.
            return ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the answer held a secret and is not shown");
        }
    }
}
