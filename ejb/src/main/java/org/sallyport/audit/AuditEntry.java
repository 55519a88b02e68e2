package org.sallyport.audit;

import java.util.UUID;

/**
 * That somebody is about to do something.
 *
 * @param id a UUID version 7: sorts by time
 * @param tenant whose log it stands in
 * @param actor id of the caller; empty for somebody unknown, and for the service itself
 * @param channel the way the actor came
 * @param address of the actor, as the connection has it
 * @param action what is to be done, as {@code backend.change}
 * @param object to what: an id or a name; empty for what is to be made
 */
public record AuditEntry(
        UUID id, String tenant, String actor, AuditChannel channel, String address, String action, String object) {
    /** The ways into the service. */
    public enum AuditChannel {
        /** The API, with a key or a token. */
        REST,
        /** The API, with a session of the console. */
        CONSOLE,
        /** The door for agents. */
        MCP,
        /** A link by which somebody decides without logging in. */
        LINK,
        /** None: the service did it by itself, since it was time to. */
        SERVICE
    }
}
