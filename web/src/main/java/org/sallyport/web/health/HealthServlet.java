package org.sallyport.web.health;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.sallyport.auth.ConsoleSessions;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.messaging.MessageSender;
import org.sallyport.runner.ExecutionRunner;
import org.sallyport.runner.LeaseManager;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.web.JsonUtf8Writer;
import org.sallyport.web.ProblemWriter;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.SessionCookie;

/**
 * {@code /health/live} and {@code /health/ready}, in the form of MicroProfile Health. Ready means: the database
 * answers, the broker accepts messages, scripts can run, and this node has its lease. Database and broker are checked
 * at most once a second. Details are for authenticated callers and the console.
 */
@WebServlet(
        name = "health",
        urlPatterns = {"/health", "/health/live", "/health/ready", "/health/started"},
        asyncSupported = true)
public class HealthServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient HealthCache database = new HealthCache(this::checkDatabase, System::nanoTime);
    private final transient HealthCache broker = new HealthCache(this::checkBroker, System::nanoTime);

    @Inject
    transient ExecutionStore store;

    @Inject
    transient MessageSender sender;

    @Inject
    transient Sandbox sandbox;

    @Inject
    transient ExecutionRunner runner;

    @Inject
    transient LeaseManager leaseManager;

    @Inject
    transient JmsToolBridge bridge;

    @Inject
    transient ConsoleSessions sessions;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (!ProblemWriter.refuseUnlessRead(request, response)) {
            super.service(request, response);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean live = request.getRequestURI().endsWith("/live");
        // Liveness does not depend on the database, so its check must not look up a session.
        boolean details = request.getAttribute(AuthenticationFilter.CALLER) != null || !live && hasSession(request);
        Map<String, Supplier<ComponentHealth>> checks = new LinkedHashMap<>();
        if (!live) {
            checks.put("database", database::get);
            checks.put("broker", broker::get);
            checks.put("sandbox", this::sandbox);
            checks.put("node", this::node);
            checks.put("runner", this::runner);
        }
        Map<String, ComponentHealth> found = new LinkedHashMap<>();
        checks.forEach((name, check) -> found.put(name, check.get()));
        boolean up = found.values().stream().allMatch(ComponentHealth::up);
        ObjectNode body = ComponentHealth.body(found, details);
        byte[] bytes = JsonUtf8Writer.bytes(body);
        response.setStatus(up ? HttpServletResponse.SC_OK : HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        response.setContentType("application/json");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    /** Whether the console sent the request; the console has no key to send. */
    private boolean hasSession(HttpServletRequest request) {
        try {
            return SessionCookie.readToken(request).flatMap(sessions::find).isPresent();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private ComponentHealth checkDatabase() {
        return ComponentHealth.ofPing(store::ping);
    }

    private ComponentHealth checkBroker() {
        return ComponentHealth.ofPing(sender::ping);
    }

    private ComponentHealth sandbox() {
        return ComponentHealth.of(sandbox.status());
    }

    private ComponentHealth node() {
        return ComponentHealth.of(leaseManager.node().id(), leaseManager.state(), leaseManager.renewalAge());
    }

    private ComponentHealth runner() {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("live", runner.liveCount());
        data.put("freePlaces", runner.freeSlots());
        data.put("openCalls", bridge.pendingCount());
        data.put("lateReplies", bridge.lateReplies());
        return new ComponentHealth(true, data);
    }
}
