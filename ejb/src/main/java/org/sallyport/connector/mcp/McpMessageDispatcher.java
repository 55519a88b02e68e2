package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** Passes messages of a server to the handler of a transport. A message that cannot be handled affects no other. */
final class McpMessageDispatcher {
    private McpMessageDispatcher() {}

    static void dispatch(JSONRPCMessage message, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        try {
            handler.apply(Mono.just(message)).subscribe(done -> {}, failure -> {});
        } catch (RuntimeException e) {
            System.getLogger(McpMessageDispatcher.class.getName())
                    .log(System.Logger.Level.DEBUG, "a message of an MCP server could not be handled", e);
        }
    }
}
