package org.sallyport.web.mcp;

import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.access.Caller;
import org.sallyport.configuration.McpSettings;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** The sessions on this node, no more than a tenant may have, none longer than it is of use. Thread-safe. */
final class Sessions {
    private final int mostOfTenant;
    private final Duration idle;
    private final InstantSource clock;
    private final Map<String, McpSession> byId = new ConcurrentHashMap<>();

    /** @param idle how long one that waits for nothing is kept */
    Sessions(int mostOfTenant, Duration idle, InstantSource clock) {
        this.mostOfTenant = mostOfTenant;
        this.idle = idle;
        this.clock = clock;
    }

    /** Adds one, if need be in place of the one of the tenant that was idle longest; {@link ProblemException} when none is. */
    synchronized McpSession add(McpStreamableServerSession sdk, Caller owner) {
        sweep();
        List<McpSession> ofTenant = byId.values().stream()
                .filter(session -> session.tenant().equals(owner.tenant()))
                .toList();
        if (ofTenant.size() >= mostOfTenant) {
            McpSession oldest = ofTenant.stream()
                    .filter(McpSession::isIdle)
                    .min(Comparator.comparing(McpSession::usedAt))
                    .orElseThrow(() -> new ProblemException(
                            ProblemType.RATE_LIMITED,
                            mostOfTenant + " sessions are in use, as many as one tenant may have (the server's "
                                    + McpSettings.SESSIONS.name() + "); end one first"));
            remove(oldest);
        }
        McpSession added = new McpSession(sdk, owner, clock.instant());
        byId.put(added.id(), added);
        return added;
    }

    /** The caller's session. */
    Optional<McpSession> find(String id, Caller caller) {
        Instant now = clock.instant();
        Optional<McpSession> found = Optional.ofNullable(byId.get(id))
                .filter(session -> session.belongsTo(caller))
                .filter(session -> !isStale(session, now));
        found.ifPresent(session -> session.usedAt(now));
        return found;
    }

    /** Ends one; what it has asked for goes on. */
    void remove(McpSession session) {
        if (byId.remove(session.id(), session)) {
            session.sdk().close();
        }
    }

    /** Ends those that are of no use any more. */
    void sweep() {
        Instant now = clock.instant();
        byId.values().stream().filter(session -> isStale(session, now)).toList().forEach(this::remove);
    }

    /** Ends all. */
    void clear() {
        List.copyOf(byId.values()).forEach(this::remove);
    }

    private boolean isStale(McpSession session, Instant now) {
        return session.isIdle() && session.usedAt().plus(idle).isBefore(now);
    }
}
