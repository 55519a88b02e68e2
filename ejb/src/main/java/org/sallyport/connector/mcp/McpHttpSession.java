package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * A session with a server over HTTP.
 *
 * @param id empty if the server has no sessions
 * @param protocolVersion the negotiated version of the protocol; empty before the handshake
 */
record McpHttpSession(Optional<String> id, Optional<String> protocolVersion) {
    static final String ID_HEADER = "Mcp-Session-Id";
    private static final String VERSION_HEADER = "MCP-Protocol-Version";
    /** The session of requests before the handshake. */
    static final McpHttpSession NONE = new McpHttpSession(Optional.empty(), Optional.empty());

    private static final Pattern VISIBLE_ASCII = Pattern.compile("[\\x21-\\x7e]+");

    /**
     * Returns the session that a server offers.
     *
     * @param id value of its header {@link #ID_HEADER}
     * @param answer its answer to {@code initialize}
     */
    static McpHttpSession of(Optional<String> id, JSONRPCResponse answer) {
        Optional<String> version =
                answer.result() instanceof Map<?, ?> result && result.get("protocolVersion") instanceof String text
                        ? Optional.of(text)
                        : Optional.empty();
        return new McpHttpSession(
                id.filter(McpHttpSession::isVisibleAscii), version.filter(McpHttpSession::isVisibleAscii));
    }

    private static boolean isVisibleAscii(String text) {
        return VISIBLE_ASCII.matcher(text).matches();
    }

    void forEachHeader(BiConsumer<String, String> consumer) {
        id.ifPresent(value -> consumer.accept(ID_HEADER, value));
        protocolVersion.ifPresent(value -> consumer.accept(VERSION_HEADER, value));
    }
}
