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
import java.util.stream.Collectors;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.McpSettings;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** The sessions on this node. Limits them per tenant and removes idle ones after a timeout. Thread-safe. */
final class McpSessions {
    private final int maxPerTenant;
    private final Duration idleTimeout;
    private final InstantSource clock;
    private final Map<String, McpSession> byId = new ConcurrentHashMap<>();

    /** @param idle how long a session without open requests is kept */
    McpSessions(int mostOfTenant, Duration idle, InstantSource clock) {
        this.maxPerTenant = mostOfTenant;
        this.idleTimeout = idle;
        this.clock = clock;
    }

    /**
     * Adds a session. If the tenant has reached its limit, the session replaces the longest idle session of the key
     * that has the most sessions, or of the owner's key if no other key has more. If that key has no idle session, it
     * replaces one of the owner's key.
     *
     * @throws ProblemException if the limit is reached and no such session is idle
     */
    synchronized McpSession add(McpStreamableServerSession sdk, Caller owner) {
        sweep();
        List<McpSession> ofTenant = byId.values().stream()
                .filter(session -> session.tenant().equals(owner.tenant()))
                .toList();
        if (ofTenant.size() >= maxPerTenant) {
            McpSession oldest = longestIdle(ofTenant, keyWithMostSessions(ofTenant, owner))
                    .or(() -> longestIdle(ofTenant, owner.id()))
                    .orElseThrow(() -> new ProblemException(
                            ProblemType.RATE_LIMITED,
                            maxPerTenant + " sessions are in use, as many as one tenant may have (the server's "
                                    + McpSettings.MAX_SESSIONS_PER_TENANT.name() + "); end one first"));
            remove(oldest);
        }
        McpSession added = new McpSession(sdk, owner, clock.instant());
        byId.put(added.id(), added);
        return added;
    }

    /** Chosen so that a key with many sessions cannot evict the sessions of a key with fewer. */
    private static String keyWithMostSessions(List<McpSession> ofTenant, Caller owner) {
        Map<String, Long> counts =
                ofTenant.stream().collect(Collectors.groupingBy(McpSession::keyId, Collectors.counting()));
        long maxCount = counts.values().stream().max(Comparator.naturalOrder()).orElse(0L);
        return counts.getOrDefault(owner.id(), 0L) == maxCount
                ? owner.id()
                : counts.entrySet().stream()
                        .filter(each -> each.getValue() == maxCount)
                        .map(Map.Entry::getKey)
                        .min(Comparator.naturalOrder())
                        .orElse(owner.id());
    }

    private static Optional<McpSession> longestIdle(List<McpSession> sessions, String keyId) {
        return sessions.stream()
                .filter(session -> session.keyId().equals(keyId))
                .filter(McpSession::isIdle)
                .min(Comparator.comparing(McpSession::usedAt));
    }

    /** The caller's session; empty if there is none with this id or it has expired. */
    Optional<McpSession> find(String id, Caller caller) {
        Instant now = clock.instant();
        Optional<McpSession> found = Optional.ofNullable(byId.get(id))
                .filter(session -> session.belongsTo(caller))
                .filter(session -> !isStale(session, now));
        found.ifPresent(session -> session.usedAt(now));
        return found;
    }

    /** Ends a session. Executions that it started continue. */
    void remove(McpSession session) {
        if (byId.remove(session.id(), session)) {
            session.sdk().close();
        }
    }

    /** Ends the sessions whose idle timeout has passed. */
    void sweep() {
        Instant now = clock.instant();
        byId.values().stream().filter(session -> isStale(session, now)).toList().forEach(this::remove);
    }

    /** Ends all sessions. */
    void clear() {
        List.copyOf(byId.values()).forEach(this::remove);
    }

    private boolean isStale(McpSession session, Instant now) {
        return session.isIdle() && session.usedAt().plus(idleTimeout).isBefore(now);
    }
}
