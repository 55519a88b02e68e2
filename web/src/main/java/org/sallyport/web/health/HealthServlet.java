package org.sallyport.web.health;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.sallyport.access.Sessions;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.messaging.MessageSender;
import org.sallyport.runner.LeaseKeeper;
import org.sallyport.runner.Runner;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.web.JsonText;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.SessionCookie;

/**
 * {@code /health/live} and {@code /health/ready}, in the form of MicroProfile Health. Ready means: the database answers,
 * the broker takes messages, scripts can run, and this node has its lease. Details are for callers with a key
 * and for the console.
 */
@WebServlet(
        name = "health",
        urlPatterns = {"/health", "/health/live", "/health/ready", "/health/started"},
        asyncSupported = true)
public class HealthServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Inject
    transient ExecutionStore store;

    @Inject
    transient MessageSender sender;

    @Inject
    transient Sandbox sandbox;

    @Inject
    transient Runner runner;

    @Inject
    transient LeaseKeeper lease;

    @Inject
    transient JmsToolBridge bridge;

    @Inject
    transient Sessions sessions;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean live = request.getRequestURI().endsWith("/live");
        // Whether the process lives is no question for the database.
        boolean details = request.getAttribute(AuthenticationFilter.CALLER) != null || !live && hasSession(request);
        Map<String, Supplier<Check>> checks = new LinkedHashMap<>();
        if (!live) {
            checks.put("database", this::database);
            checks.put("broker", this::broker);
            checks.put("sandbox", this::sandbox);
            checks.put("node", this::node);
            checks.put("runner", this::runner);
        }
        Map<String, Check> found = new LinkedHashMap<>();
        checks.forEach((name, check) -> found.put(name, check.get()));
        boolean up = found.values().stream().allMatch(Check::up);
        ObjectNode body = Check.body(found, details);
        byte[] bytes = JsonText.bytes(body);
        response.setStatus(up ? HttpServletResponse.SC_OK : HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        response.setContentType("application/json");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    /** Whether the console asks, which has no key to send. */
    private boolean hasSession(HttpServletRequest request) {
        try {
            return SessionCookie.of(request).flatMap(sessions::find).isPresent();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private Check database() {
        return Check.answers(store::ping);
    }

    private Check broker() {
        return Check.answers(sender::ping);
    }

    private Check sandbox() {
        return Check.of(sandbox.status());
    }

    private Check node() {
        return Check.of(lease.node().id(), lease.standing(), lease.age());
    }

    private Check runner() {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("live", runner.liveCount());
        data.put("freePlaces", runner.freePlaces());
        data.put("openCalls", bridge.open());
        data.put("lateReplies", bridge.lateReplies());
        return new Check(true, data);
    }
}
