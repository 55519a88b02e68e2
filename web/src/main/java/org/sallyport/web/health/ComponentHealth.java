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
 * Whether a part of the service can do what it is there for.
 *
 * @param up whether it can
 * @param data more, for those who have a key
 */
record ComponentHealth(boolean up, ObjectNode data) {

    /** Of a store or a broker. */
    static ComponentHealth ofPing(Runnable ping) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        try {
            ping.run();
            return new ComponentHealth(true, data);
        } catch (StoreUnavailableException | BrokerUnavailableException e) {
            return new ComponentHealth(false, data.put("failure", String.valueOf(e.getMessage())));
        }
    }

    /** Of what runs scripts: one that has no workers runs none. */
    static ComponentHealth of(SandboxStatus status) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("mode", status.mode());
        data.put("workers", status.workers());
        data.put("warm", status.idleWorkers());
        data.put("sessions", status.sessions());
        data.put("isolation", String.join(", ", status.isolation()));
        data.put("missingIsolation", String.join(", ", status.missingIsolation()));
        return new ComponentHealth(!status.mode().equals("worker") || status.workers() > 0, data);
    }

    /** Of a node: without its lease it may run nothing. */
    static ComponentHealth of(String node, LeaseManager.LeaseState standing, Duration renewedAgo) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("id", node);
        data.put("lease", standing.name().toLowerCase(Locale.ROOT));
        data.put("renewedMillisAgo", renewedAgo.toMillis());
        return new ComponentHealth(standing == LeaseManager.LeaseState.HELD, data);
    }

    /** All of them as MicroProfile Health shows them; {@code details} are for those who have a key. */
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
