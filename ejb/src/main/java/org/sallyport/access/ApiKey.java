package org.sallyport.access;

import java.time.Instant;
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
 * @param expiresAt when it stops working
 */
public record ApiKey(String id, String tenant, String name, String hash, Set<Role> roles, Optional<Instant> expiresAt) {
    public ApiKey {
        roles = Set.copyOf(roles);
    }
}
