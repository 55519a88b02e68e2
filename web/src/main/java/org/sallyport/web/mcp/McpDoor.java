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
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.McpSettings;
import org.sallyport.execution.Waiting;
import org.sallyport.web.stream.Streams;
import reactor.core.publisher.Mono;

/** The SDK's server with our tools, and the sessions that it serves on this node. Thread-safe. */
@ApplicationScoped
public class McpDoor {
    private static final Duration LONGEST_QUESTION = Duration.ofMinutes(10);

    @Inject
    Configuration configuration;

    @Inject
    AgentTools tools;

    @Inject
    CapabilityTools capabilities;

    @Inject
    Streams streams;

    @Inject
    Waiting waiting;

    private final DoorTransport transport = new DoorTransport();
    private @Nullable McpAsyncServer server;
    private @Nullable Sessions sessions;

    @PostConstruct
    void open() {
        sessions = new Sessions(
                configuration.integer(McpSettings.SESSIONS),
                configuration.get(McpSettings.IDLE),
                InstantSource.system());
        server = McpServer.async(transport)
                .serverInfo(McpSchema.Implementation.builder("sallyport", "0.1.0")
                        .title("Sallyport")
                        .build())
                .instructions(Instructions.text(configuration))
                .capabilities(
                        McpSchema.ServerCapabilities.builder().tools(false).build())
                .jsonMapper(Wire.SDK)
                .jsonSchemaValidator(Wire.NO_VALIDATION)
                .validateToolInputs(false)
                .requestTimeout(LONGEST_QUESTION)
                .addToolFilter((context, tool) ->
                        Mono.just(tools.has(((OpenCall) context.get(OpenCall.KEY)).caller(), tool.name())))
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

    /** The sessions on this node. */
    Sessions sessions() {
        Sessions open = sessions;
        if (open == null) {
            throw new IllegalStateException("the door is not open");
        }
        return open;
    }

    /**
     * A session that begins.
     *
     * @param session the session
     * @param greeting what its client is told
     */
    record Begun(McpSession session, McpSchema.JSONRPCResponse greeting) {}

    /** Begins a session of the caller. */
    Begun begin(Incoming.Request request, Caller caller) {
        McpStreamableServerSession.McpStreamableServerSessionInit init =
                transport.start(Incoming.initialization(request));
        McpSession session = sessions().add(init.session(), caller);
        // Made of what is there: nothing is waited for.
        McpSchema.InitializeResult greeting = init.initResult().toFuture().join();
        return new Begun(session, McpSchema.JSONRPCResponse.result(request.id(), greeting));
    }

    /** The tools that the caller may use: those of the door, and his tenant's capabilities. */
    McpSchema.JSONRPCResponse tools(Incoming.Request request, Caller caller) {
        List<McpSchema.Tool> all = new ArrayList<>();
        AgentTools.descriptions().stream()
                .filter(tool -> tools.has(caller, tool.name()))
                .forEach(all::add);
        if (tools.has(caller, RunCapability.NAME)) {
            all.addAll(capabilities.list(caller.tenant()));
        }
        return McpSchema.JSONRPCResponse.result(
                request.id(), McpSchema.ListToolsResult.builder(all).build());
    }

    /** The request as the SDK knows it: a capability that is called by its own name is called by the tool that runs them all. */
    Incoming.Request resolved(Incoming.Request request, Caller caller) {
        return request.method().equals(McpSchema.METHOD_TOOLS_CALL)
                ? capabilities
                        .call(caller.tenant(), request.params())
                        .map(params -> new Incoming.Request(request.id(), request.method(), params))
                        .orElse(request)
                : request;
    }

    /** Opens a call: refuses what cannot be one, with {@link RpcException}. */
    OpenCall open(McpSession session, Incoming.Request request, Caller caller) {
        if (request.method().equals(McpSchema.METHOD_TOOLS_CALL)) {
            String name = Incoming.tool(request);
            if (!tools.has(name)) {
                throw Incoming.noTool(request, name);
            }
        }
        if (request.method().equals(McpSchema.METHOD_LOGGING_SET_LEVEL)) {
            Incoming.checkLevel(request);
        }
        return session.open(request, caller);
    }

    /** Has the SDK handle a call that was opened. */
    void handle(McpSession session, Incoming.Request request, OpenCall call, Reply reply) {
        call.answeredBy(reply);
        reply.begin();
        McpStreamableServerSession.McpStreamableServerSessionStream stream =
                session.sdk().responseStream(reply);
        McpTransportContext context = McpTransportContext.create(Map.of(OpenCall.KEY, call));
        call.handledBy(stream.handle(request.rpc())
                .contextWrite(with -> with.put(McpTransportContext.KEY, context))
                .doFinally(how -> stream.close())
                .subscribe(done -> {}, failure -> reply.close()));
        reply.settle();
    }

    Streams streams() {
        return streams;
    }

    Waiting waiting() {
        return waiting;
    }
}
