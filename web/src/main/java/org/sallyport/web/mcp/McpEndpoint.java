package org.sallyport.web.mcp;

import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpAsyncServer;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.McpSettings;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.web.async.StreamRegistry;
import reactor.core.publisher.Mono;

/** Holds the SDK's server with the tools of this service, and the sessions on this node. Thread-safe. */
@ApplicationScoped
public class McpEndpoint {
    private static final Duration ELICITATION_TIMEOUT = Duration.ofMinutes(10);

    @Inject
    Configuration configuration;

    @Inject
    McpTools tools;

    @Inject
    McpCapabilityTools capabilities;

    @Inject
    StreamRegistry streams;

    @Inject
    CompletionWaiter waiter;

    private final ServletTransport transport = new ServletTransport();
    private @Nullable McpAsyncServer server;
    private @Nullable McpSessions sessions;

    @PostConstruct
    void open() {
        sessions = new McpSessions(
                configuration.getInt(McpSettings.MAX_SESSIONS_PER_TENANT),
                configuration.get(McpSettings.SESSION_IDLE_TIMEOUT),
                InstantSource.system());
        server = McpServer.async(transport)
                .serverInfo(McpSchema.Implementation.builder("sallyport", "0.1.0")
                        .title("Sallyport")
                        .build())
                .instructions(ServerInstructions.text(configuration))
                .capabilities(
                        McpSchema.ServerCapabilities.builder().tools(false).build())
                .jsonMapper(JsonRpcWriter.SDK_MAPPER)
                .jsonSchemaValidator(JsonRpcWriter.NO_VALIDATION)
                .validateToolInputs(false)
                .requestTimeout(ELICITATION_TIMEOUT)
                .addToolFilter((context, tool) -> Mono.just(
                        tools.has(((PendingRequest) context.get(PendingRequest.CONTEXT_KEY)).caller(), tool.name())))
                .tools(tools.specifications())
                .build();
    }

    @PreDestroy
    void close() {
        sessions().clear();
        if (server != null) {
            server.close();
        }
    }

    McpSessions sessions() {
        McpSessions open = sessions;
        if (open == null) {
            throw new IllegalStateException("the MCP endpoint is not started");
        }
        return open;
    }

    /**
     * A new session.
     *
     * @param session the session
     * @param initializeResponse the response to the client
     */
    record InitializedSession(McpSession session, McpSchema.JSONRPCResponse initializeResponse) {}

    /** Starts a session of the caller. */
    InitializedSession initialize(JsonRpcReader.JsonRpcRequest request, Caller caller) {
        McpStreamableServerSession.McpStreamableServerSessionInit init =
                transport.startSession(JsonRpcReader.toInitializeRequest(request));
        McpSession session = sessions().add(init.session(), caller);
        // The result is already available, so this does not block.
        McpSchema.InitializeResult greeting = init.initResult().toFuture().join();
        return new InitializedSession(session, McpSchema.JSONRPCResponse.result(request.id(), greeting));
    }

    /** The tools that the caller may use: the built-in tools and the tenant's capabilities. */
    McpSchema.JSONRPCResponse listTools(JsonRpcReader.JsonRpcRequest request, Caller caller) {
        List<McpSchema.Tool> all = new ArrayList<>();
        McpTools.descriptions().stream()
                .filter(tool -> tools.has(caller, tool.name()))
                .forEach(all::add);
        if (tools.has(caller, RunCapability.NAME)) {
            all.addAll(capabilities.list(caller.tenant()));
        }
        return McpSchema.JSONRPCResponse.result(
                request.id(), McpSchema.ListToolsResult.builder(all).build());
    }

    /**
     * Converts a call of a capability's own tool into a call of {@code run_capability}; returns any other request
     * unchanged.
     */
    JsonRpcReader.JsonRpcRequest resolveCapabilityTool(JsonRpcReader.JsonRpcRequest request, Caller caller) {
        return request.method().equals(McpSchema.METHOD_TOOLS_CALL)
                ? capabilities
                        .toRunCapability(caller.tenant(), request.params())
                        .map(params -> new JsonRpcReader.JsonRpcRequest(request.id(), request.method(), params))
                        .orElse(request)
                : request;
    }

    /**
     * Registers a call.
     *
     * @throws JsonRpcException if the request is not a valid call
     */
    PendingRequest open(McpSession session, JsonRpcReader.JsonRpcRequest request, Caller caller) {
        if (request.method().equals(McpSchema.METHOD_TOOLS_CALL)) {
            String name = JsonRpcReader.toolName(request);
            if (!tools.has(name)) {
                throw JsonRpcReader.toolNotFound(request, name);
            }
        }
        if (request.method().equals(McpSchema.METHOD_LOGGING_SET_LEVEL)) {
            JsonRpcReader.checkLogLevel(request);
        }
        return session.openRequest(request, caller);
    }

    /** Passes a registered call to the SDK. */
    void handle(McpSession session, JsonRpcReader.JsonRpcRequest request, PendingRequest call, JsonRpcResponse reply) {
        call.setResponse(reply);
        reply.start();
        McpStreamableServerSession.McpStreamableServerSessionStream stream =
                session.sdk().responseStream(reply);
        McpTransportContext context = McpTransportContext.create(Map.of(PendingRequest.CONTEXT_KEY, call));
        call.setSubscription(stream.handle(request.toSdkRequest())
                .contextWrite(with -> with.put(McpTransportContext.KEY, context))
                .doFinally(how -> stream.close())
                .subscribe(done -> {}, failure -> reply.close()));
        reply.openStreamUnlessAnswered();
    }

    StreamRegistry streams() {
        return streams;
    }

    CompletionWaiter waiter() {
        return waiter;
    }
}
