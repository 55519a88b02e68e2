package org.sallyport.web.health;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.runner.LeaseManager;
import org.sallyport.sandbox.SandboxStatus;

/**
 * The health of one component of the service.
 *
 * @param up whether the component works
 * @param data details for authenticated callers
 */
record ComponentHealth(boolean up, ObjectNode data) {

    /** The health of a store or a broker. */
    static ComponentHealth ofPing(Runnable ping) {
        try {
            ping.run();
            return new ComponentHealth(true, JsonNodeFactory.instance.objectNode());
        } catch (StoreUnavailableException | BrokerUnavailableException e) {
            return down(String.valueOf(e.getMessage()));
        }
    }

    /** The health of a component that does not work, for the reason {@code failure}. */
    static ComponentHealth down(String failure) {
        return new ComponentHealth(false, JsonNodeFactory.instance.objectNode().put("failure", failure));
    }

    /** The health of the sandbox, which is down if no worker can start. */
    static ComponentHealth of(SandboxStatus status) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("mode", status.mode());
        data.put("workers", status.workers());
        data.put("warm", status.idleWorkers());
        data.put("sessions", status.sessions());
        data.put("isolation", String.join(", ", status.isolation()));
        data.put("missingIsolation", String.join(", ", status.missingIsolation()));
        return new ComponentHealth(status.available(), data);
    }

    /** The health of a node, which must not run executions without its lease. */
    static ComponentHealth of(String node, LeaseManager.LeaseState standing, Duration renewedAgo) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("id", node);
        data.put("lease", standing.name().toLowerCase(Locale.ROOT));
        data.put("renewedMillisAgo", renewedAgo.toMillis());
        return new ComponentHealth(standing == LeaseManager.LeaseState.HELD, data);
    }

    /** All checks in the form of MicroProfile Health; {@code details} are for authenticated callers. */
    static ObjectNode body(Map<String, ComponentHealth> checks, boolean details) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("status", status(checks.values().stream().allMatch(ComponentHealth::up)));
        body.putArray("checks");
        checks.forEach((name, check) -> {
            ObjectNode shown = body.withArray("checks").addObject();
            shown.put("name", name).put("status", status(check.up()));
            if (details && !check.data().isEmpty()) {
                shown.set("data", check.data());
            }
        });
        return body;
    }

    private static String status(boolean up) {
        return up ? "UP" : "DOWN";
    }
}
