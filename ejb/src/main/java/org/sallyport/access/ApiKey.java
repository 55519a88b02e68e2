package org.sallyport.access;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A key as it is stored: never the key itself.
 *
 * @param id names the key
 * @param tenant whose objects its bearer sees
 * @param name for people
 * @param hash SHA-256 of the whole key, hexadecimal
 * @param roles what its bearer is trusted with
 * @param grants globs of the tools that executions in its bearer's name may call
 * @param expiresAt when it stops working
 */
public record ApiKey(
        String id,
        String tenant,
        String name,
        String hash,
        Set<Role> roles,
        List<String> grants,
        Optional<Instant> expiresAt) {
    public ApiKey {
        roles = Set.copyOf(roles);
        grants = List.copyOf(grants);
    }

    /** One whose bearer's executions may call every tool. */
    public ApiKey(String id, String tenant, String name, String hash, Set<Role> roles, Optional<Instant> expiresAt) {
        this(id, tenant, name, hash, roles, Caller.EVERY_TOOL, expiresAt);
    }

    /** Who comes with it. */
    Caller toCaller() {
        return new Caller(id, tenant, roles, grants, Optional.empty(), Optional.empty());
    }
}
