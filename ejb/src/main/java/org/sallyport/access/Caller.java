package org.sallyport.access;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.tracecontext.TraceContext;

/**
 * Somebody whose key or token was checked.
 *
 * @param id who it is: the id of the key, or {@link ExternalSubject#callerId} of a token's, which is that of no key
 * @param tenant whose objects the caller sees
 * @param roles what the caller is trusted with
 * @param grants globs of the tools that may be called in the caller's name
 * @param token what the caller came with instead of a key
 * @param trace in which trace the caller asks, if it says so
 */
public record Caller(
        String id,
        String tenant,
        Set<Role> roles,
        List<String> grants,
        Optional<CallerToken> token,
        Optional<TraceContext> trace) {
    /** The globs that name every tool. */
    public static final List<String> EVERY_TOOL = List.of("*");

    public Caller {
        roles = Set.copyOf(roles);
        grants = List.copyOf(grants);
    }

    /** The bearer of a key that grants every tool, who asks outside of any trace. */
    public Caller(String id, String tenant, Set<Role> roles) {
        this(id, tenant, roles, EVERY_TOOL, Optional.empty(), Optional.empty());
    }

    /** The bearer of a token, whom nobody but policies keeps from a tool. */
    public static Caller of(ExternalSubject subject, Instant end, String tenant, Set<Role> roles) {
        return new Caller(
                subject.callerId(),
                tenant,
                roles,
                EVERY_TOOL,
                Optional.of(new CallerToken(subject, end)),
                Optional.empty());
    }

    /** The same, asking in a trace. */
    public Caller withTrace(TraceContext context) {
        return new Caller(id, tenant, roles, grants, token, Optional.of(context));
    }

    /**
     * What is known of a token that was checked.
     *
     * @param subject of whom it speaks
     * @param expiresAt from when on it counts no more
     */
    public record CallerToken(ExternalSubject subject, Instant expiresAt) {}
}
