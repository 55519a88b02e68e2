package org.sallyport.secret;

import java.io.IOException;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Answers of tools without secrets. */
public final class RedactedResult {
    private static final Json HIDDEN = new Json("\"[redacted]\"");

    private RedactedResult() {}

    /** The result without secrets; the same instance when it has none. */
    public static ToolResult of(ToolResult result, Redaction redaction) {
        if (redaction.isEmpty()) {
            return result;
        }
        if (result instanceof ToolResult.Success success) {
            return of(success, redaction);
        } else if (result instanceof ToolResult.Failure failure) {
            ToolError error = failure.error();
            return new ToolResult.Failure(new ToolError(
                    error.code(),
                    redaction.of(error.message()),
                    error.details().map(details -> of(details, redaction))));
        }
        return result;
    }

    private static ToolResult of(ToolResult.Success success, Redaction redaction) {
        String text = success.value().text();
        try {
            String clean = RedactedJson.of(text, redaction);
            return clean.equals(text) ? success : ToolResult.success(new Json(clean));
        } catch (IOException e) {
            return ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the answer is no JSON and is not shown");
        }
    }

    /** The JSON without secrets; all of it is hidden when it is none. */
    public static Json of(Json json, Redaction redaction) {
        try {
            return new Json(RedactedJson.of(json.text(), redaction));
        } catch (IOException e) {
            return HIDDEN;
        }
    }
}
