package org.sallyport.identity.token;

import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.BadJWSException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.ExpiredJWTException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;

/** Verifies tokens that name one issuer: first the signature, then the claims. Thread-safe. */
final class JwtVerifier {
    private static final Set<String> REQUIRED_CLAIMS = Set.of("iss", "sub", "aud", "exp");
    /**
     * Only ID tokens have these claims (OpenID Connect Core 1.0, 2 and 3.1.3.6); tokens of RFC 9068 state in their type
     * that they are no ID tokens.
     */
    private static final List<String> ID_TOKEN_CLAIMS = List.of("nonce", "at_hash", "c_hash");

    private static final String ACCESS_TOKEN = "at+jwt";
    /** Claims with the person's name, in order of preference (OpenID Connect Core 1.0, 5.1). */
    private static final List<String> NAME_CLAIMS = List.of("name", "preferred_username", "email");

    private final JwtConfig config;
    private final JwtConfig.TrustedIssuer issuer;
    private final Optional<String> clientId;
    private final InstantSource clock;
    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

    /**
     * @param client empty to accept access tokens of API callers; otherwise the id of a client, and only ID tokens
     *     that were issued to this client are accepted
     */
    JwtVerifier(
            JwtConfig rules,
            JwtConfig.TrustedIssuer issuer,
            JWKSource<SecurityContext> keys,
            InstantSource clock,
            Optional<String> client) {
        this.config = rules;
        this.issuer = issuer;
        this.clientId = client;
        this.clock = clock;
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(
                rules.algorithms().stream().map(JWSAlgorithm::parse).collect(Collectors.toSet()), keys));
        // The type was checked before, equally for all issuers.
        processor.setJWSTypeVerifier((type, context) -> {});
        processor.setJWTClaimsSetVerifier(
                claimsVerifier(rules, client.map(Set::of).orElse(rules.audiences()), issuer, clock));
    }

    private static DefaultJWTClaimsVerifier<SecurityContext> claimsVerifier(
            JwtConfig rules, Set<String> audiences, JwtConfig.TrustedIssuer issuer, InstantSource clock) {
        DefaultJWTClaimsVerifier<SecurityContext> verifier =
                new DefaultJWTClaimsVerifier<>(
                        // A HashSet, because the library calls contains(null), for which immutable sets of the JDK
                        // throw.
                        new HashSet<>(audiences),
                        new JWTClaimsSet.Builder().issuer(issuer.name()).build(),
                        REQUIRED_CLAIMS,
                        Set.of()) {
                    @Override
                    protected Date currentTime() {
                        return Date.from(clock.instant());
                    }
                };
        verifier.setMaxClockSkew(Math.toIntExact(rules.clockSkew().toSeconds()));
        return verifier;
    }

    /**
     * Verifies a token.
     *
     * @param claims claims of the token, strictly parsed
     * @param nonce nonce that an ID token must contain; ignored for other tokens
     */
    TokenVerification verify(SignedJWT token, String type, JsonNode claims, String nonce) {
        try {
            JWTClaimsSet checked = processor.process(token, null);
            @Nullable Date end = checked.getExpirationTime();
            // The library accepts "exp": null as a claim that is present.
            return end == null ? rejected(TokenRejection.CLAIMS, true) : verify(type, claims, end.toInstant(), nonce);
        } catch (ExpiredJWTException e) {
            return rejected(TokenRejection.EXPIRED, true);
        } catch (BadJWTException e) {
            return rejected(TokenRejection.CLAIMS, true);
        } catch (BadJWSException e) {
            return rejected(TokenRejection.SIGNATURE, false);
        } catch (BadJOSEException e) {
            return rejected(TokenRejection.KEY, false);
        } catch (KeySourceException e) {
            return new TokenVerification.VerificationUnavailable();
        } catch (JOSEException e) {
            return rejected(TokenRejection.SIGNATURE, false);
        }
    }

    private TokenVerification verify(String type, JsonNode claims, Instant end, String nonce) {
        Duration skew = config.clockSkew();
        Instant now = clock.instant();
        if (end.isAfter(now.plus(config.maxLifetime()).plus(skew))) {
            return rejected(TokenRejection.LIFE, true);
        }
        JsonNode issued = claims.path("iat");
        if (!issued.isMissingNode()
                && !(issued.isNumber() && issued.asDouble() <= now.plus(skew).getEpochSecond())) {
            return rejected(TokenRejection.CLAIMS, true);
        }
        boolean forId = !type.equals(ACCESS_TOKEN) && ID_TOKEN_CLAIMS.stream().anyMatch(claims::has);
        if (clientId.isEmpty() && forId || claims.has("cnf")) {
            return rejected(TokenRejection.USE, true);
        } else if (clientId.isPresent() && !matchesLogin(claims, clientId.get(), nonce)) {
            return rejected(TokenRejection.LOGIN, true);
        }
        JsonNode name = claims.path("sub");
        if (!name.isTextual() || !ExternalSubject.isValidName(name.textValue())) {
            return rejected(TokenRejection.CLAIMS, true);
        }
        @Nullable String tenant = resolveTenant(claims);
        if (tenant == null) {
            return rejected(TokenRejection.TENANT, true);
        }
        @Nullable Set<Role> roles = resolveRoles(config.rolesClaim().resolve(claims));
        return roles == null
                ? rejected(TokenRejection.ROLES, true)
                : new TokenVerification.TokenAccepted(
                        Caller.of(new ExternalSubject(issuer.name(), name.textValue()), end.plus(skew), tenant, roles),
                        NAME_CLAIMS.stream()
                                .map(claims::path)
                                .filter(text ->
                                        text.isTextual() && !text.textValue().isBlank())
                                .findFirst()
                                .orElse(name)
                                .textValue());
    }

    /** OpenID Connect Core 1.0, 3.1.3.7: issued for this client, recently, in answer to this login. */
    private static boolean matchesLogin(JsonNode claims, String client, String nonce) {
        JsonNode party = claims.path("azp");
        boolean alone = !claims.path("aud").isArray() || claims.path("aud").size() == 1;
        return (party.isMissingNode()
                        ? alone
                        : party.isTextual() && party.textValue().equals(client))
                && claims.has("iat")
                && claims.path("nonce").isTextual()
                && LoginState.constantTimeEquals(nonce, claims.path("nonce").textValue());
    }

    private @Nullable String resolveTenant(JsonNode claims) {
        if (config.tenantClaim().isEmpty()) {
            return issuer.tenants().iterator().next();
        }
        JsonNode named = config.tenantClaim().get().resolve(claims);
        return named.isTextual() && issuer.tenants().contains(named.textValue()) ? named.textValue() : null;
    }

    /**
     * Null when the claim is invalid. A text instead of an array is invalid, because it could be one group or several.
     */
    private @Nullable Set<Role> resolveRoles(JsonNode named) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        roles.addAll(config.defaultRoles());
        if (named.isMissingNode()) {
            return roles;
        } else if (!named.isArray()) {
            return null;
        }
        for (JsonNode each : named) {
            if (!each.isTextual()) {
                return null;
            }
            roles.addAll(config.roles().getOrDefault(each.textValue(), Set.of()));
        }
        return roles;
    }

    private static TokenVerification rejected(TokenRejection why, boolean genuine) {
        return new TokenVerification.TokenRejected(why, genuine, Optional.empty());
    }
}
