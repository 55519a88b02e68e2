package org.sallyport.access;

import java.util.Optional;
import java.util.Set;
import org.sallyport.tracecontext.TraceContext;

/**
 * Somebody whose key was checked.
 *
 * @param keyId id of the key
 * @param tenant whose objects the caller sees
 * @param roles what the caller is trusted with
 * @param trace in which trace the caller asks, if it says so
 */
public record Caller(String keyId, String tenant, Set<Role> roles, Optional<TraceContext> trace) {
    public Caller {
        roles = Set.copyOf(roles);
    }

    /** One who asks outside of any trace. */
    public Caller(String keyId, String tenant, Set<Role> roles) {
        this(keyId, tenant, roles, Optional.empty());
    }

    /** The same, asking in a trace. */
    public Caller in(TraceContext context) {
        return new Caller(keyId, tenant, roles, Optional.of(context));
    }
}
