package org.sallyport.identity.token;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sallyport.auth.Role;

/**
 * Configuration of accepted tokens and of the meaning of their claims.
 *
 * @param audiences accepted audiences; a token must name one
 * @param algorithms accepted signature algorithms, by their JWS names
 * @param types accepted values of {@code typ}, in lower case; the empty text stands for tokens without it
 * @param tenantClaim path of the tenant claim; empty when each issuer has one tenant
 * @param rolesClaim path of the groups or roles claim
 * @param roles service roles by group or role; others give no role
 * @param defaultRoles roles that every caller has
 * @param clockSkew tolerated clock difference
 * @param maxLifetime maximum remaining lifetime of a token
 * @param maxLength maximum length of a token in characters
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
     * A trusted issuer.
     *
     * @param name required value of {@code iss}
     * @param jwksUri URL of its keys; empty to use its metadata
     * @param tenants tenants that its tokens may name
     */
    record TrustedIssuer(String name, Optional<URI> jwksUri, Set<String> tenants) {
        TrustedIssuer {
            tenants = Set.copyOf(tenants);
        }
    }

    /**
     * Times of the key cache.
     *
     * @param refresh age at which keys are fetched again
     * @param staleIfError how long keys are used while they cannot be fetched
     * @param minRefetch interval in which keys are fetched at most twice
     */
    record JwksCacheTimes(Duration refresh, Duration staleIfError, Duration minRefetch) {}
}
