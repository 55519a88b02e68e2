package org.sallyport.web.mcp;

import io.modelcontextprotocol.spec.HttpHeaders;
import io.modelcontextprotocol.spec.McpSchema;
import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.McpSettings;
import org.sallyport.web.AllowHeader;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.ProblemWriter;
import org.sallyport.web.api.ProblemMapper;
import org.sallyport.web.api.RequestContexts;
import org.sallyport.web.api.StrictJsonReader;

/**
 * The Streamable HTTP endpoint: accepts messages by {@code POST} and ends sessions by {@code DELETE}. It rejects
 * {@code GET}, because the service sends no unsolicited messages. A faulty HTTP request is answered with a problem, a
 * faulty message with a JSON-RPC error.
 */
@WebServlet(urlPatterns = McpServlet.PATH, asyncSupported = true)
public class McpServlet extends HttpServlet {
    static final String PATH = "/mcp";

    private static final long serialVersionUID = 1;
    private static final String SESSION_HEADER = HttpHeaders.MCP_SESSION_ID;

    @Inject
    transient McpEndpoint endpoint;

    @Inject
    transient StrictJsonReader json;

    @Inject
    transient Configuration configuration;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            checkOrigin(request);
            switch (request.getMethod()) {
                case "POST" -> post(request, response);
                case "DELETE" -> delete(request, response);
                default -> throw new ProblemException(AllowHeader.refuse(response, "POST", "DELETE"));
            }
        } catch (JsonRpcException e) {
            respond(response, e.httpStatus(), "application/json", JsonRpcWriter.error(e));
        } catch (RuntimeException e) {
            respond(response, ProblemMapper.problem(e));
        }
    }

    private void post(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Caller caller = RequestContexts.caller(request);
        checkAccepts(request);
        checkVersion(request);
        JsonRpcReader.JsonRpcMessage message = JsonRpcReader.read(json.readBytes(request));
        if (message instanceof JsonRpcReader.JsonRpcRequest asked
                && asked.method().equals(McpSchema.METHOD_INITIALIZE)) {
            McpEndpoint.InitializedSession begun = endpoint.initialize(asked, caller);
            response.setHeader(SESSION_HEADER, begun.session().id());
            respond(
                    response,
                    HttpServletResponse.SC_OK,
                    "application/json",
                    JsonRpcWriter.json(begun.initializeResponse()));
            return;
        }
        McpSession session = session(request, caller);
        if (message instanceof JsonRpcReader.JsonRpcRequest asked
                && asked.method().equals(McpSchema.METHOD_TOOLS_LIST)) {
            respond(
                    response,
                    HttpServletResponse.SC_OK,
                    "application/json",
                    JsonRpcWriter.json(endpoint.listTools(asked, caller)));
        } else if (message instanceof JsonRpcReader.JsonRpcRequest asked) {
            handleRequest(session, endpoint.resolveCapabilityTool(asked, caller), caller, request);
        } else {
            if (message instanceof JsonRpcReader.JsonRpcNotification notification) {
                handleNotification(session, notification);
            } else if (message instanceof JsonRpcReader.JsonRpcReply answered) {
                // A reply that no request waits for any more is ignored.
                session.sdk().accept(answered.sdkResponse()).subscribe(done -> {}, failure -> {});
            }
            response.setStatus(HttpServletResponse.SC_ACCEPTED);
        }
    }

    private void handleRequest(
            McpSession session, JsonRpcReader.JsonRpcRequest asked, Caller caller, HttpServletRequest request) {
        Object id = asked.id();
        PendingRequest call = endpoint.open(session, asked, caller);
        call.setAddress(request.getRemoteAddr());
        try {
            AsyncContext context = request.startAsync();
            JsonRpcResponse reply = new JsonRpcResponse(
                    context,
                    caller,
                    endpoint.streams(),
                    endpoint.waiter(),
                    answered -> onFinished(session, id, call, answered));
            endpoint.handle(session, asked, call, reply);
        } catch (IllegalStateException e) {
            session.complete(id, call);
            throw e;
        }
    }

    private static void onFinished(McpSession session, Object id, PendingRequest call, boolean answered) {
        if (answered) {
            session.complete(id, call);
        } else {
            session.abandon(id, call);
        }
    }

    private static void handleNotification(McpSession session, JsonRpcReader.JsonRpcNotification notification) {
        if (notification.method().equals("notifications/cancelled")) {
            Object id = JsonRpcReader.cancelledRequestId(notification);
            if (id != null) {
                session.cancel(id);
            }
        }
        // Other notifications have no effect.
    }

    private void delete(HttpServletRequest request, HttpServletResponse response) {
        endpoint.sessions().remove(session(request, RequestContexts.caller(request)));
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }

    private McpSession session(HttpServletRequest request, Caller caller) {
        @Nullable String id = request.getHeader(SESSION_HEADER);
        if (id == null) {
            throw new ProblemException(
                    ProblemType.VALIDATION, "send '" + SESSION_HEADER + "' as in the response to 'initialize'");
        }
        return endpoint.sessions()
                .find(id, caller)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND, "the session is unknown or has ended; initialize again"));
    }

    /** Refuses a browser page of another origin: it may know this address but must not act for its user. */
    private void checkOrigin(HttpServletRequest request) {
        @Nullable String origin = request.getHeader("Origin");
        if (origin != null && !configuration.get(McpSettings.ALLOWED_ORIGINS).contains(origin)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "web pages of this origin are not allowed (the server's " + McpSettings.ALLOWED_ORIGINS.name()
                            + ")");
        }
    }

    private static void checkAccepts(HttpServletRequest request) {
        String accepted = String.valueOf(request.getHeader("Accept")).toLowerCase(Locale.ROOT);
        boolean all = accepted.contains("*/*");
        if (!all && !(accepted.contains("application/json") && accepted.contains("text/event-stream"))) {
            throw new ProblemException(
                    ProblemType.NOT_ACCEPTABLE, "send 'Accept: application/json, text/event-stream'");
        }
    }

    private static void checkVersion(HttpServletRequest request) {
        @Nullable String version = request.getHeader(HttpHeaders.PROTOCOL_VERSION);
        if (version != null && !ServletTransport.PROTOCOL_VERSIONS.contains(version)) {
            throw new ProblemException(
                    ProblemType.VALIDATION,
                    "'" + HttpHeaders.PROTOCOL_VERSION + "' must be one of "
                            + String.join(", ", ServletTransport.PROTOCOL_VERSIONS));
        }
    }

    private static void respond(HttpServletResponse response, Problem problem) throws IOException {
        if (problem.type() == ProblemType.UNAVAILABLE || problem.type() == ProblemType.RATE_LIMITED) {
            response.setHeader("Retry-After", "2");
        }
        ProblemWriter.write(response, problem, PATH);
    }

    private static void respond(HttpServletResponse response, int status, String type, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
