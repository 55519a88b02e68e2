package org.sallyport.tool;

/**
 * A result with the time it took behind the bridge.
 *
 * @param result how the call ended
 * @param queueMillis time the request waited before a connector took it, in milliseconds
 * @param backendMillis time from there until the backend had answered, in milliseconds
 * @param attempts how often it was sent to its backend: 0 only when it certainly never was, 1 where nobody counts
 */
public record ToolReply(ToolResult result, long queueMillis, long backendMillis, int attempts) {

    /** One that was sent once, or that nobody counts. */
    public ToolReply(ToolResult result, long queueMillis, long backendMillis) {
        this(result, queueMillis, backendMillis, 1);
    }

    /** A reply that never left this process. */
    public static ToolReply local(ToolResult result) {
        return new ToolReply(result, 0, 0);
    }
}
