package org.sallyport.auth;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An API key as it is stored. It never holds the secret.
 *
 * @param id id of the key
 * @param tenant the tenant whose objects the bearer sees
 * @param name name for people
 * @param hash SHA-256 of the whole key, hexadecimal
 * @param roles roles of the bearer
 * @param grants globs of the tools that executions on the bearer's behalf may call
 * @param expiresAt when the key stops working
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

    /** Creates a key that grants every tool. */
    public ApiKey(String id, String tenant, String name, String hash, Set<Role> roles, Optional<Instant> expiresAt) {
        this(id, tenant, name, hash, roles, Caller.EVERY_TOOL, expiresAt);
    }

    /** Returns the bearer of this key. */
    Caller toCaller() {
        return new Caller(id, tenant, roles, grants, Optional.empty(), Optional.empty());
    }
}
