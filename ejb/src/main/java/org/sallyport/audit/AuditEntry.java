package org.sallyport.audit;

import java.util.UUID;

/**
 * An action that an actor is about to start.
 *
 * @param id a UUID version 7, which sorts by time
 * @param tenant the tenant whose log holds the entry
 * @param actor id of the caller; empty for an unknown caller and for the service itself
 * @param channel channel through which the actor reached the service
 * @param address address of the actor, taken from the connection
 * @param action name of the action, such as {@code backend.change}
 * @param object id or name of the object; empty for an object that is to be created
 */
public record AuditEntry(
        UUID id, String tenant, String actor, AuditChannel channel, String address, String action, String object) {
    /** Channel through which an actor reaches the service. */
    public enum AuditChannel {
        /** The API, with a key or a token. */
        REST,
        /** The API, with a session of the console. */
        CONSOLE,
        /** The MCP endpoint for agents. */
        MCP,
        /** A link with which a person decides an approval without logging in. */
        LINK,
        /** No channel: the service acted by itself on a schedule. */
        SERVICE
    }
}
