package org.sallyport.tool;

/** How a call ended. */
public sealed interface ToolResult {

    /** The call returned a value. */
    record ToolSuccess(Json value) implements ToolResult {}

    /** The call failed. */
    record ToolFailure(ToolError error) implements ToolResult {}

    static ToolResult success(Json value) {
        return new ToolSuccess(value);
    }

    static ToolResult failure(ToolErrorCode code, String message) {
        return new ToolFailure(new ToolError(code, message));
    }
}
