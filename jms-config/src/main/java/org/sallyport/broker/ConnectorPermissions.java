package org.sallyport.broker;

import org.apache.activemq.artemis.core.security.CheckType;

/**
 * Broker permissions of a backend's connector: consume the backend's calls, subscribe to its commands, send replies,
 * and announce its tools. Permits nothing of other backends, the service or the broker.
 */
final class ConnectorPermissions {

    static final String ADDRESS_PREFIX = "sallyport.external.";

    private ConnectorPermissions() {}

    static boolean isAllowed(String backend, CheckType check, String address) {
        String own = ADDRESS_PREFIX + backend + ".";
        if (!address.startsWith(own)) {
            return false;
        }
        String rest = address.substring(own.length());
        return switch (check) {
            case CONSUME -> rest.equals("calls") || rest.equals("commands");
            // A topic subscriber has its own queue while it listens. Over STOMP this needs the permission to create the
            // topic, although the topic exists.
            case CREATE_NON_DURABLE_QUEUE, DELETE_NON_DURABLE_QUEUE, CREATE_ADDRESS -> rest.equals("commands");
            case SEND -> rest.equals("status") || rest.startsWith("replies.");
            default -> false;
        };
    }
}
