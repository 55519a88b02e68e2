package org.sallyport.tool;

/**
 * A result with the time it took behind the bridge.
 *
 * @param result how the call ended
 * @param queueMillis time the request waited before a connector took it, in milliseconds
 * @param backendMillis time from there until the backend had answered, in milliseconds
 */
public record ToolReply(ToolResult result, long queueMillis, long backendMillis) {

    /** A reply that never left this process. */
    public static ToolReply local(ToolResult result) {
        return new ToolReply(result, 0, 0);
    }
}
