package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;

/** One call of an MCP tool, and the messages that can be sent to its client before the answer. Thread-safe. */
final class ToolCallContext {
    /** The reason of a cancellation that the client requests with {@code notifications/cancelled}. */
    static final Optional<String> CLIENT_CANCELLED = Optional.of("the client cancelled its request");

    private static final long MAX_UNREAD_BYTES = 256 * 1024;

    private final PendingRequest request;
    private final McpAsyncServerExchange exchange;
    private final @Nullable Object progressToken;
    private volatile ObjectNode arguments;
    private final AtomicLong progress = new AtomicLong();

    ToolCallContext(PendingRequest call, McpAsyncServerExchange exchange, @Nullable Object progressToken) {
        this(call, exchange, progressToken, call.takeArguments());
    }

    private ToolCallContext(
            PendingRequest call,
            McpAsyncServerExchange exchange,
            @Nullable Object progressToken,
            ObjectNode arguments) {
        this.request = call;
        this.exchange = exchange;
        this.progressToken = progressToken;
        this.arguments = arguments;
    }

    /**
     * The same call with other arguments, for a tool that this one delegates to.
     *
     * @param withProgress whether it sends progress notifications
     */
    ToolCallContext delegate(ObjectNode others, boolean withProgress) {
        return new ToolCallContext(request, exchange, withProgress ? progressToken : null, others);
    }

    /** Whether the client asked for progress notifications. */
    boolean hasProgressToken() {
        return progressToken != null;
    }

    Caller caller() {
        return request.caller();
    }

    /** The remote address of the caller. */
    String address() {
        return request.address();
    }

    /** The arguments, as received, unless they were taken. */
    ObjectNode arguments() {
        return arguments;
    }

    /**
     * Returns the arguments, which belong to the caller from now on.
     *
     * @param kept names of the arguments that this call keeps too. It needs no memory for the others while it waits
     */
    ObjectNode takeArguments(String... kept) {
        ObjectNode taken = arguments;
        ObjectNode rest = JsonNodeFactory.instance.objectNode();
        for (String name : kept) {
            if (taken.has(name)) {
                rest.set(name, taken.get(name));
            }
        }
        arguments = rest;
        return taken;
    }

    /** Whether the client no longer waits for the answer. */
    boolean isClosed() {
        return request.isClosed();
    }

    void onCancel(Runnable task) {
        request.onCancel(task);
    }

    /** Whether the client asked for progress and keeps reading it. */
    boolean acceptsProgress() {
        return progressToken != null && request.unreadBytes() < MAX_UNREAD_BYTES;
    }

    /**
     * Sends a progress notification, if the client asked for progress.
     *
     * @param about additional members for programs, with the name prefix that the protocol requires
     */
    void sendProgress(String message, Map<String, Object> about) {
        if (progressToken != null) {
            exchange.progressNotification(new McpSchema.ProgressNotification(
                            progressToken, (double) progress.incrementAndGet(), null, message, about))
                    .subscribe(done -> {}, failure -> {});
        }
    }

    /**
     * Sends a progress notification about parts of the work, if the client asked for progress and more is done than it
     * was told before. A call sends its notifications either all in this way or all in the other.
     *
     * @param done number of parts that are done
     * @param total number of all parts; null if it is not known yet
     */
    void sendProgress(int done, @Nullable Integer total, String message, Map<String, Object> about) {
        if (progressToken != null && progress.getAndAccumulate(done + 1L, Math::max) <= done) {
            exchange.progressNotification(new McpSchema.ProgressNotification(
                            progressToken, (double) done, total == null ? null : total.doubleValue(), message, about))
                    .subscribe(sent -> {}, failure -> {});
        }
    }

    /** Whether the client can ask its user. */
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
