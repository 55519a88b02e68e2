package org.sallyport.redaction;

import java.io.IOException;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Redacts secrets in tool results. */
public final class ToolResultRedactor {
    private static final Json REDACTED = new Json("\"[redacted]\"");

    private ToolResultRedactor() {}

    /** Returns the result without secrets; the same instance when it contains none. */
    public static ToolResult redact(ToolResult result, Redactor redaction) {
        if (redaction.isEmpty()) {
            return result;
        }
        if (result instanceof ToolResult.ToolSuccess success) {
            return redact(success, redaction);
        } else if (result instanceof ToolResult.ToolFailure failure) {
            ToolError error = failure.error();
            return new ToolResult.ToolFailure(new ToolError(
                    error.code(),
                    redaction.redact(error.message()),
                    error.details().map(details -> redact(details, redaction))));
        }
        return result;
    }

    private static ToolResult redact(ToolResult.ToolSuccess success, Redactor redaction) {
        String text = success.value().text();
        try {
            String clean = JsonRedactor.redact(text, redaction);
            return clean.equals(text) ? success : ToolResult.success(new Json(clean));
        } catch (IOException e) {
            return ToolResult.failure(
                    ToolErrorCode.TOOL_FAILED,
                    "the answer is not JSON and is withheld, because secrets in it cannot be redacted");
        }
    }

    /** Returns the JSON without secrets. Hides all of it when it is not valid JSON. */
    public static Json redact(Json json, Redactor redaction) {
        try {
            return new Json(JsonRedactor.redact(json.text(), redaction));
        } catch (IOException e) {
            return REDACTED;
        }
    }
}
