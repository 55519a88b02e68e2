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
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.McpSettings;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.api.ProblemMapper;
import org.sallyport.web.api.Requests;
import org.sallyport.web.api.StrictJson;

/**
 * Streamable HTTP: takes messages by {@code POST}, ends sessions by {@code DELETE}, and has nothing to say that was not asked for,
 * so {@code GET} is none of its methods. What is wrong with a request is a problem, what is wrong with a message a JSON-RPC error.
 */
@WebServlet(urlPatterns = McpServlet.PATH, asyncSupported = true)
public class McpServlet extends HttpServlet {
    static final String PATH = "/mcp";

    private static final long serialVersionUID = 1;
    private static final String SESSION = HttpHeaders.MCP_SESSION_ID;

    @Inject
    transient McpDoor door;

    @Inject
    transient StrictJson json;

    @Inject
    transient Configuration configuration;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            checkOrigin(request);
            switch (request.getMethod()) {
                case "POST" -> post(request, response);
                case "DELETE" -> delete(request, response);
                default -> {
                    response.setHeader("Allow", "POST, DELETE");
                    throw new ProblemException(ProblemType.METHOD_NOT_ALLOWED, PATH + " takes POST and DELETE");
                }
            }
        } catch (RpcException e) {
            answer(response, e.status(), "application/json", Wire.error(e));
        } catch (RuntimeException e) {
            answer(response, ProblemMapper.problem(e));
        }
    }

    private void post(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Caller caller = Requests.caller(request);
        checkAccepts(request);
        checkVersion(request);
        Incoming.Message message = Incoming.read(json.bytes(request));
        if (message instanceof Incoming.Request asked && asked.method().equals(McpSchema.METHOD_INITIALIZE)) {
            McpDoor.Begun begun = door.begin(asked, caller);
            response.setHeader(SESSION, begun.session().id());
            answer(response, HttpServletResponse.SC_OK, "application/json", Wire.json(begun.greeting()));
            return;
        }
        McpSession session = session(request, caller);
        if (message instanceof Incoming.Request asked && asked.method().equals(McpSchema.METHOD_TOOLS_LIST)) {
            answer(response, HttpServletResponse.SC_OK, "application/json", Wire.json(door.tools(asked, caller)));
        } else if (message instanceof Incoming.Request asked) {
            ask(session, door.resolved(asked, caller), caller, request);
        } else {
            if (message instanceof Incoming.Notification notification) {
                hear(session, notification);
            } else if (message instanceof Incoming.Response answered) {
                // One that nobody waits for any more is as good as none.
                session.sdk().accept(answered.rpc()).subscribe(done -> {}, failure -> {});
            }
            response.setStatus(HttpServletResponse.SC_ACCEPTED);
        }
    }

    private void ask(McpSession session, Incoming.Request asked, Caller caller, HttpServletRequest request) {
        OpenCall call = door.open(session, asked, caller);
        call.from(request.getRemoteAddr());
        try {
            AsyncContext context = request.startAsync();
            Reply reply = new Reply(
                    context, caller, door.streams(), door.waiting(), answered -> over(session, asked, call, answered));
            door.handle(session, asked, call, reply);
        } catch (IllegalStateException e) {
            session.close(asked.id(), call);
            throw e;
        }
    }

    private static void over(McpSession session, Incoming.Request asked, OpenCall call, boolean answered) {
        if (answered) {
            session.close(asked.id(), call);
        } else {
            session.drop(asked.id(), call);
        }
    }

    private static void hear(McpSession session, Incoming.Notification notification) {
        if (notification.method().equals("notifications/cancelled")) {
            Object id = Incoming.cancelled(notification);
            if (id != null) {
                session.cancel(id);
            }
        }
        // The others change nothing here.
    }

    private void delete(HttpServletRequest request, HttpServletResponse response) {
        door.sessions().remove(session(request, Requests.caller(request)));
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }

    private McpSession session(HttpServletRequest request, Caller caller) {
        @Nullable String id = request.getHeader(SESSION);
        if (id == null) {
            throw new ProblemException(
                    ProblemType.VALIDATION, "send '" + SESSION + "' as the answer to 'initialize' gave it");
        }
        return door.sessions()
                .find(id, caller)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND, "there is no such session, or there is no more; initialize again"));
    }

    /** A page that a browser loads from elsewhere may know this address, but must not speak for its reader. */
    private void checkOrigin(HttpServletRequest request) {
        @Nullable String origin = request.getHeader("Origin");
        if (origin != null && !configuration.get(McpSettings.ORIGINS).contains(origin)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "web pages of this origin may not ask here (the server's " + McpSettings.ORIGINS.name() + ")");
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
        if (version != null && !DoorTransport.VERSIONS.contains(version)) {
            throw new ProblemException(
                    ProblemType.VALIDATION,
                    "'" + HttpHeaders.PROTOCOL_VERSION + "' must be one of "
                            + String.join(", ", DoorTransport.VERSIONS));
        }
    }

    private static void answer(HttpServletResponse response, Problem problem) throws IOException {
        if (problem.type() == ProblemType.UNAVAILABLE || problem.type() == ProblemType.RATE_LIMITED) {
            response.setHeader("Retry-After", "2");
        }
        answer(response, problem.type().status(), Problem.MEDIA_TYPE, problem.body(PATH));
    }

    private static void answer(HttpServletResponse response, int status, String type, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
