package org.sallyport.access;

import java.util.Set;

/**
 * Somebody whose key was checked.
 *
 * @param keyId id of the key
 * @param tenant whose objects the caller sees
 * @param roles what the caller is trusted with
 */
public record Caller(String keyId, String tenant, Set<Role> roles) {
    public Caller {
        roles = Set.copyOf(roles);
    }
}
