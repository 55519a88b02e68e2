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
final class Dialog {
    private static final long CROWDED_BYTES = 256 * 1024;

    private final OpenCall call;
    private final McpAsyncServerExchange exchange;
    private final @Nullable Object progressToken;
    private final AtomicLong steps = new AtomicLong();

    Dialog(OpenCall call, McpAsyncServerExchange exchange, @Nullable Object progressToken) {
        this.call = call;
        this.exchange = exchange;
        this.progressToken = progressToken;
    }

    Caller caller() {
        return call.caller();
    }

    /** Where the caller's connection comes from. */
    String address() {
        return call.address();
    }

    /** The arguments, as they came. */
    ObjectNode arguments() {
        return call.params().path("arguments") instanceof ObjectNode given
                ? given
                : JsonNodeFactory.instance.objectNode();
    }

    /** Whether nobody waits for the answer any more. */
    boolean isOver() {
        return call.isOver();
    }

    void onCancel(Runnable task) {
        call.onCancel(task);
    }

    /** Whether the client wants to hear how far it is, and takes what it is told. */
    boolean listens() {
        return progressToken != null && call.backlog() < CROWDED_BYTES;
    }

    /**
     * Tells how far it is, if the client wants to hear that.
     *
     * @param about more of it for programs, by names with the prefix that the protocol wants
     */
    void tell(String message, Map<String, Object> about) {
        if (progressToken != null) {
            exchange.progressNotification(new McpSchema.ProgressNotification(
                            progressToken, (double) steps.incrementAndGet(), null, message, about))
                    .subscribe(done -> {}, failure -> {});
        }
    }

    /** Whether the client's user can be asked something. */
    boolean canAsk() {
        McpSchema.ClientCapabilities capabilities = exchange.getClientCapabilities();
        return capabilities != null && capabilities.elicitation() != null;
    }

    /** Asks the client's user. */
    CompletionStage<McpSchema.ElicitResult> ask(String message, Map<String, Object> schema) {
        return exchange.createElicitation(
                        McpSchema.ElicitRequest.builder(message, schema).build())
                .toFuture();
    }
}
