package org.sallyport.tool;

import java.util.Optional;

/**
 * A result with the time it took behind the bridge.
 *
 * @param result how the call ended
 * @param queueMillis time the request waited before a connector took it, in milliseconds
 * @param backendMillis time from there until the backend had answered, in milliseconds
 * @param attempts how often it was sent to its backend: 0 only when it certainly never was, 1 where nobody counts
 * @param sharedFrom the call whose answer it is, when that is another's
 * @param node the node whose connector answered; empty when none did, or it does not say
 */
public record ToolReply(
        ToolResult result,
        long queueMillis,
        long backendMillis,
        int attempts,
        Optional<CallId> sharedFrom,
        Optional<String> node) {

    /** One of its own. */
    public ToolReply(ToolResult result, long queueMillis, long backendMillis, int attempts) {
        this(result, queueMillis, backendMillis, attempts, Optional.empty(), Optional.empty());
    }

    /** One that was sent once, or that nobody counts. */
    public ToolReply(ToolResult result, long queueMillis, long backendMillis) {
        this(result, queueMillis, backendMillis, 1);
    }

    /** A reply that never left this process. */
    public static ToolReply local(ToolResult result) {
        return new ToolReply(result, 0, 0);
    }

    /** What another call was answered; this one was not sent. */
    public static ToolReply from(CallId other, ToolResult result) {
        return new ToolReply(result, 0, 0, 0, Optional.of(other), Optional.empty());
    }

    /** The same with another result and another count of attempts. */
    public ToolReply withResult(ToolResult other, int sent) {
        return new ToolReply(other, queueMillis, backendMillis, sent, sharedFrom, node);
    }

    /** The same, answered by the connector of that node. */
    public ToolReply withNode(String connectorNode) {
        return new ToolReply(result, queueMillis, backendMillis, attempts, sharedFrom, Optional.of(connectorNode));
    }
}
