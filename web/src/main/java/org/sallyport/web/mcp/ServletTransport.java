package org.sallyport.web.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Connects the SDK's sessions to the servlet, which transports the messages itself. */
final class ServletTransport implements McpStreamableServerTransportProvider {
    static final List<String> PROTOCOL_VERSIONS = List.of(
            ProtocolVersions.MCP_2024_11_05,
            ProtocolVersions.MCP_2025_03_26,
            ProtocolVersions.MCP_2025_06_18,
            ProtocolVersions.MCP_2025_11_25);

    private volatile McpStreamableServerSession.@Nullable Factory factory;

    @Override
    public void setSessionFactory(McpStreamableServerSession.Factory sessions) {
        factory = sessions;
    }

    McpStreamableServerSession.McpStreamableServerSessionInit startSession(McpSchema.InitializeRequest request) {
        McpStreamableServerSession.Factory sessionFactory = factory;
        if (sessionFactory == null) {
            throw new IllegalStateException("the MCP SDK has not built its server");
        }
        return sessionFactory.startSession(request);
    }

    @Override
    public List<String> protocolVersions() {
        return PROTOCOL_VERSIONS;
    }

    /** Does nothing: the service sends no unsolicited messages. */
    @Override
    public Mono<Void> notifyClients(String method, Object params) {
        return Mono.empty();
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.empty();
    }
}
