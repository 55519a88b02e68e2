package org.sallyport.tool;

import java.util.Optional;

/**
 * A result with its timing behind the tool bridge.
 *
 * @param result the result of the call
 * @param queueMillis time until a connector took the request, in milliseconds
 * @param backendMillis time from then until the backend's reply, in milliseconds
 * @param attempts how often it was sent to its backend: 0 only when it certainly was not sent or had no effect, 1 where
 *     attempts are not counted
 * @param sharedFrom the call whose reply this is, when it is shared from another call
 * @param node the node of the connector; empty when no connector answered, or it does not report its node
 */
public record ToolReply(
        ToolResult result,
        long queueMillis,
        long backendMillis,
        int attempts,
        Optional<CallId> sharedFrom,
        Optional<String> node) {

    /** Creates a reply that is not shared, without a node. */
    public ToolReply(ToolResult result, long queueMillis, long backendMillis, int attempts) {
        this(result, queueMillis, backendMillis, attempts, Optional.empty(), Optional.empty());
    }

    /** Creates a reply to a call that was sent once, or whose attempts are not counted. */
    public ToolReply(ToolResult result, long queueMillis, long backendMillis) {
        this(result, queueMillis, backendMillis, 1);
    }

    /** Returns a reply that was produced in this process. */
    public static ToolReply local(ToolResult result) {
        return new ToolReply(result, 0, 0);
    }

    /** Returns a reply that was produced in this process to a call that certainly was not sent. */
    public static ToolReply notSent(ToolResult result) {
        return new ToolReply(result, 0, 0, 0);
    }

    /** Returns the shared reply of another call; this call was not sent. */
    public static ToolReply from(CallId other, ToolResult result) {
        return new ToolReply(result, 0, 0, 0, Optional.of(other), Optional.empty());
    }

    /** Returns a copy with another result and number of attempts. */
    public ToolReply withResult(ToolResult other, int sent) {
        return new ToolReply(other, queueMillis, backendMillis, sent, sharedFrom, node);
    }

    /** Returns a copy with the node of the connector. */
    public ToolReply withNode(String connectorNode) {
        return new ToolReply(result, queueMillis, backendMillis, attempts, sharedFrom, Optional.of(connectorNode));
    }
}
