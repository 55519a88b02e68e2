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
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.MessageSender;
import org.sallyport.runner.LeaseKeeper;
import org.sallyport.runner.Runner;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.web.JsonText;
import org.sallyport.web.security.AuthenticationFilter;

/**
 * {@code /health/live} and {@code /health/ready}, in the form of MicroProfile Health. Ready means: the database answers,
 * the broker takes messages, scripts can run, and this node has its lease. Details are for callers with a key only.
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

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean details = request.getAttribute(AuthenticationFilter.CALLER) != null;
        Map<String, Supplier<Check>> checks = new LinkedHashMap<>();
        if (!request.getRequestURI().endsWith("/live")) {
            checks.put("database", this::database);
            checks.put("broker", this::broker);
            checks.put("sandbox", this::sandbox);
            checks.put("node", this::node);
            checks.put("runner", this::runner);
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("status", "UP");
        body.putArray("checks");
        boolean up = true;
        for (Map.Entry<String, Supplier<Check>> entry : checks.entrySet()) {
            Check check = entry.getValue().get();
            up &= check.up();
            ObjectNode shown = body.withArray("checks").addObject();
            shown.put("name", entry.getKey()).put("status", check.up() ? "UP" : "DOWN");
            if (details && !check.data().isEmpty()) {
                shown.set("data", check.data());
            }
        }
        body.put("status", up ? "UP" : "DOWN");
        byte[] bytes = JsonText.bytes(body);
        response.setStatus(up ? HttpServletResponse.SC_OK : HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        response.setContentType("application/json");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    private record Check(boolean up, ObjectNode data) {
        static Check of(Optional<String> failure) {
            ObjectNode data = JsonNodeFactory.instance.objectNode();
            failure.ifPresent(reason -> data.put("failure", reason));
            return new Check(failure.isEmpty(), data);
        }
    }

    private Check database() {
        try {
            store.ping();
            return Check.of(Optional.empty());
        } catch (StoreUnavailableException e) {
            return Check.of(Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private Check broker() {
        try {
            sender.ping();
            return Check.of(Optional.empty());
        } catch (BrokerUnavailableException e) {
            return Check.of(Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private Check sandbox() {
        SandboxStatus status = sandbox.status();
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("mode", status.mode());
        data.put("workers", status.workers());
        data.put("warm", status.warm());
        data.put("sessions", status.sessions());
        data.put("isolation", String.join(", ", status.isolation()));
        data.put("missingIsolation", String.join(", ", status.missingIsolation()));
        return new Check(!status.mode().equals("worker") || status.workers() > 0, data);
    }

    private Check node() {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("id", lease.node().id());
        data.put("lease", lease.standing().name().toLowerCase(Locale.ROOT));
        data.put("renewedMillisAgo", lease.age().toMillis());
        return new Check(lease.standing() == LeaseKeeper.Standing.HELD, data);
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
