package org.sallyport.auth;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.tracecontext.TraceContext;

/**
 * A caller whose key or token was verified.
 *
 * @param id id of the caller: the id of the key, or the {@link ExternalSubject#callerId} of the token's subject, which
 *     is never the id of a key
 * @param tenant the tenant whose objects the caller sees
 * @param roles roles of the caller
 * @param grants globs of the tools that may be called on the caller's behalf
 * @param token the token that the caller presented instead of a key
 * @param trace trace context of the request, when the caller sent one
 */
public record Caller(
        String id,
        String tenant,
        Set<Role> roles,
        List<String> grants,
        Optional<CallerToken> token,
        Optional<TraceContext> trace) {
    /** The grants that allow every tool. */
    public static final List<String> EVERY_TOOL = List.of("*");

    public Caller {
        roles = Set.copyOf(roles);
        grants = List.copyOf(grants);
    }

    /** Creates the caller for a key that grants every tool, without a trace context. */
    public Caller(String id, String tenant, Set<Role> roles) {
        this(id, tenant, roles, EVERY_TOOL, Optional.empty(), Optional.empty());
    }

    /** Creates the caller for a token. Only policies restrict the tools of such a caller. */
    public static Caller of(ExternalSubject subject, Instant end, String tenant, Set<Role> roles) {
        return new Caller(
                subject.callerId(),
                tenant,
                roles,
                EVERY_TOOL,
                Optional.of(new CallerToken(subject, end)),
                Optional.empty());
    }

    /** Returns a copy with this trace context. */
    public Caller withTrace(TraceContext context) {
        return new Caller(id, tenant, roles, grants, token, Optional.of(context));
    }

    /**
     * A verified token.
     *
     * @param subject subject of the token
     * @param expiresAt when the token expires
     */
    public record CallerToken(ExternalSubject subject, Instant expiresAt) {}
}
