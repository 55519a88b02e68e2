package org.sallyport.tool;

/** How a call ended. */
public sealed interface ToolResult {

    /** It gave a value. */
    record Success(Json value) implements ToolResult {}

    /** It failed. */
    record Failure(ToolError error) implements ToolResult {}

    static ToolResult success(Json value) {
        return new Success(value);
    }

    static ToolResult failure(ToolErrorCode code, String message) {
        return new Failure(new ToolError(code, message));
    }
}
