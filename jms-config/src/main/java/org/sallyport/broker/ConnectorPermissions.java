package org.sallyport.broker;

import org.apache.activemq.artemis.core.security.CheckType;

/**
 * What the connector of a backend may do at the broker: take that backend's calls, hear its orders, answer, and say what it
 * offers. Nothing that belongs to another backend, to the service or to the broker.
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
            case CONSUME -> rest.equals("calls") || rest.equals("orders");
            // A subscriber of a topic has a queue of its own for as long as it listens; over STOMP that asks for the
            // right to
            // make the topic, though it is there.
            case CREATE_NON_DURABLE_QUEUE, DELETE_NON_DURABLE_QUEUE, CREATE_ADDRESS -> rest.equals("orders");
            case SEND -> rest.equals("registrations") || rest.startsWith("answers.");
            default -> false;
        };
    }
}
