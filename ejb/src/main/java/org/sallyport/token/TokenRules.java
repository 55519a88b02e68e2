package org.sallyport.token;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sallyport.access.Role;

/**
 * Which tokens are taken, and what their claims are worth.
 *
 * @param audiences one of which a token must be meant for
 * @param algorithms of signatures, by their names in JWS
 * @param types values of {@code typ}, in lower case; the empty one is for tokens without
 * @param tenantClaim where the tenant is; empty: each issuer has one tenant
 * @param rolesClaim where groups or roles are
 * @param roles what a group or role is worth; what is not in it is worth nothing
 * @param defaultRoles what everybody has
 * @param skew by how much clocks may differ
 * @param longestLife how long a token may count from now
 * @param longest characters of a token
 */
record TokenRules(
        List<Issuer> issuers,
        Set<String> audiences,
        Set<String> algorithms,
        Set<String> types,
        Optional<ClaimPath> tenantClaim,
        ClaimPath rolesClaim,
        Map<String, Set<Role>> roles,
        Set<Role> defaultRoles,
        Duration skew,
        Duration longestLife,
        int longest,
        KeyTimes keyTimes) {
    TokenRules {
        issuers = List.copyOf(issuers);
        audiences = Set.copyOf(audiences);
        algorithms = Set.copyOf(algorithms);
        types = Set.copyOf(types);
        roles = Map.copyOf(roles);
        defaultRoles = Set.copyOf(defaultRoles);
    }

    /**
     * One issuer.
     *
     * @param name what {@code iss} must be
     * @param keys where its keys are; empty: where its own description says
     * @param tenants whom it may speak for
     */
    record Issuer(String name, Optional<URI> keys, Set<String> tenants) {
        Issuer {
            tenants = Set.copyOf(tenants);
        }
    }

    /**
     * For how long keys are used.
     *
     * @param fresh before they are fetched again
     * @param kept while they cannot be
     * @param pause in which they are fetched twice at most
     */
    record KeyTimes(Duration fresh, Duration kept, Duration pause) {}
}
