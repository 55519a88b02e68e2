package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;

/** One call of a tool, and what can be said to its client before it is answered. Thread-safe. */
final class ToolCallContext {
    private static final long MAX_UNREAD_BYTES = 256 * 1024;

    private final PendingRequest request;
    private final McpAsyncServerExchange exchange;
    private final @Nullable Object progressToken;
    private final AtomicLong progress = new AtomicLong();

    ToolCallContext(PendingRequest call, McpAsyncServerExchange exchange, @Nullable Object progressToken) {
        this.request = call;
        this.exchange = exchange;
        this.progressToken = progressToken;
    }

    Caller caller() {
        return request.caller();
    }

    /** Where the caller's connection comes from. */
    String address() {
        return request.address();
    }

    /** The arguments, as they came. */
    ObjectNode arguments() {
        return request.params().path("arguments") instanceof ObjectNode given
                ? given
                : JsonNodeFactory.instance.objectNode();
    }

    /** Whether nobody waits for the answer any more. */
    boolean isClosed() {
        return request.isClosed();
    }

    void onCancel(Runnable task) {
        request.onCancel(task);
    }

    /** Whether the client wants to hear how far it is, and takes what it is told. */
    boolean acceptsProgress() {
        return progressToken != null && request.unreadBytes() < MAX_UNREAD_BYTES;
    }

    /**
     * Tells how far it is, if the client wants to hear that.
     *
     * @param about more of it for programs, by names with the prefix that the protocol wants
     */
    void sendProgress(String message, Map<String, Object> about) {
        if (progressToken != null) {
            exchange.progressNotification(new McpSchema.ProgressNotification(
                            progressToken, (double) progress.incrementAndGet(), null, message, about))
                    .subscribe(done -> {}, failure -> {});
        }
    }

    /** Whether the client's user can be asked something. */
    boolean canElicit() {
        McpSchema.ClientCapabilities capabilities = exchange.getClientCapabilities();
        return capabilities != null && capabilities.elicitation() != null;
    }

    /** Asks the client's user. */
    CompletionStage<McpSchema.ElicitResult> elicit(String message, Map<String, Object> schema) {
        return exchange.createElicitation(
                        McpSchema.ElicitRequest.builder(message, schema).build())
                .toFuture();
    }
}
