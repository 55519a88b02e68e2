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
 * @param clockSkew by how much clocks may differ
 * @param maxLifetime how long a token may count from now
 * @param maxLength characters of a token
 */
record JwtConfig(
        List<TrustedIssuer> issuers,
        Set<String> audiences,
        Set<String> algorithms,
        Set<String> types,
        Optional<ClaimPath> tenantClaim,
        ClaimPath rolesClaim,
        Map<String, Set<Role>> roles,
        Set<Role> defaultRoles,
        Duration clockSkew,
        Duration maxLifetime,
        int maxLength,
        JwksCacheTimes jwksCacheTimes) {
    JwtConfig {
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
     * @param jwksUri where its keys are; empty: where its own description says
     * @param tenants whom it may speak for
     */
    record TrustedIssuer(String name, Optional<URI> jwksUri, Set<String> tenants) {
        TrustedIssuer {
            tenants = Set.copyOf(tenants);
        }
    }

    /**
     * For how long keys are used.
     *
     * @param refresh before they are fetched again
     * @param staleIfError while they cannot be
     * @param minRefetch in which they are fetched twice at most
     */
    record JwksCacheTimes(Duration refresh, Duration staleIfError, Duration minRefetch) {}
}
