package org.sallyport.token;

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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.access.Subject;

/** Judges tokens that say they are of one issuer: by its keys, then by what they claim. Thread-safe. */
final class IssuedTokens {
    private static final Set<String> REQUIRED = Set.of("iss", "sub", "aud", "exp");
    /** Only ID tokens have them (OpenID Connect Core 1.0, 2 and 3.1.3.6); those of RFC 9068 say themselves that they are none. */
    private static final List<String> OF_ID_TOKENS = List.of("nonce", "at_hash", "c_hash");

    private static final String ACCESS_TOKEN = "at+jwt";
    /** How people are called, the best first (OpenID Connect Core 1.0, 5.1). */
    private static final List<String> NAMES = List.of("name", "preferred_username", "email");

    private final TokenRules rules;
    private final TokenRules.Issuer issuer;
    private final Optional<String> client;
    private final InstantSource clock;
    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

    /** @param client empty: they are for callers of the API; else ID tokens of people who log in at this client, and no others */
    IssuedTokens(
            TokenRules rules,
            TokenRules.Issuer issuer,
            JWKSource<SecurityContext> keys,
            InstantSource clock,
            Optional<String> client) {
        this.rules = rules;
        this.issuer = issuer;
        this.client = client;
        this.clock = clock;
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(
                rules.algorithms().stream().map(JWSAlgorithm::parse).collect(Collectors.toSet()), keys));
        // Judged before, and by all issuers alike.
        processor.setJWSTypeVerifier((type, context) -> {});
        processor.setJWTClaimsSetVerifier(claims(rules, client.map(Set::of).orElse(rules.audiences()), issuer, clock));
    }

    private static DefaultJWTClaimsVerifier<SecurityContext> claims(
            TokenRules rules, Set<String> audiences, TokenRules.Issuer issuer, InstantSource clock) {
        DefaultJWTClaimsVerifier<SecurityContext> verifier =
                new DefaultJWTClaimsVerifier<>(
                        // It asks whether null is among them, which those of the JDK that cannot change take amiss.
                        new HashSet<>(audiences),
                        new JWTClaimsSet.Builder().issuer(issuer.name()).build(),
                        REQUIRED,
                        Set.of()) {
                    @Override
                    protected Date currentTime() {
                        return Date.from(clock.instant());
                    }
                };
        verifier.setMaxClockSkew(Math.toIntExact(rules.skew().toSeconds()));
        return verifier;
    }

    /**
     * What to think of one.
     *
     * @param claims what the token claims, read strictly
     * @param nonce what an ID token must hold; of no use for others
     */
    Verdict judge(SignedJWT token, String type, JsonNode claims, String nonce) {
        try {
            JWTClaimsSet checked = processor.process(token, null);
            Instant end = checked.getExpirationTime().toInstant();
            return judge(type, claims, end, nonce);
        } catch (ExpiredJWTException e) {
            return refused(Refusal.EXPIRED, true);
        } catch (BadJWTException e) {
            return refused(Refusal.CLAIMS, true);
        } catch (BadJWSException e) {
            return refused(Refusal.SIGNATURE, false);
        } catch (BadJOSEException e) {
            return refused(Refusal.KEY, false);
        } catch (KeySourceException e) {
            return new Verdict.Undecided();
        } catch (JOSEException e) {
            return refused(Refusal.SIGNATURE, false);
        }
    }

    private Verdict judge(String type, JsonNode claims, Instant end, String nonce) {
        Duration skew = rules.skew();
        Instant now = clock.instant();
        if (end.isAfter(now.plus(rules.longestLife()).plus(skew))) {
            return refused(Refusal.LIFE, true);
        }
        JsonNode issued = claims.path("iat");
        if (!issued.isMissingNode()
                && !(issued.isNumber() && issued.asDouble() <= now.plus(skew).getEpochSecond())) {
            return refused(Refusal.CLAIMS, true);
        }
        boolean forId = !type.equals(ACCESS_TOKEN) && OF_ID_TOKENS.stream().anyMatch(claims::has);
        if (client.isEmpty() && forId || claims.has("cnf")) {
            return refused(Refusal.USE, true);
        } else if (client.isPresent() && !isOfLogin(claims, client.get(), nonce)) {
            return refused(Refusal.LOGIN, true);
        }
        JsonNode name = claims.path("sub");
        if (!name.isTextual() || !Subject.isName(name.textValue())) {
            return refused(Refusal.CLAIMS, true);
        }
        @Nullable String tenant = tenant(claims);
        if (tenant == null) {
            return refused(Refusal.TENANT, true);
        }
        @Nullable Set<Role> roles = roles(rules.rolesClaim().in(claims));
        return roles == null
                ? refused(Refusal.ROLES, true)
                : new Verdict.Accepted(
                        Caller.of(new Subject(issuer.name(), name.textValue()), end.plus(skew), tenant, roles),
                        NAMES.stream()
                                .map(claims::path)
                                .filter(text ->
                                        text.isTextual() && !text.textValue().isBlank())
                                .findFirst()
                                .orElse(name)
                                .textValue());
    }

    /** OpenID Connect Core 1.0, 3.1.3.7: made for this client, lately, in answer to this login. */
    private static boolean isOfLogin(JsonNode claims, String client, String nonce) {
        JsonNode party = claims.path("azp");
        boolean alone = !claims.path("aud").isArray() || claims.path("aud").size() == 1;
        return (party.isMissingNode()
                        ? alone
                        : party.isTextual() && party.textValue().equals(client))
                && claims.has("iat")
                && claims.path("nonce").isTextual()
                && Ticket.same(nonce, claims.path("nonce").textValue());
    }

    private @Nullable String tenant(JsonNode claims) {
        if (rules.tenantClaim().isEmpty()) {
            return issuer.tenants().iterator().next();
        }
        JsonNode named = rules.tenantClaim().get().in(claims);
        return named.isTextual() && issuer.tenants().contains(named.textValue()) ? named.textValue() : null;
    }

    /** Null when they are not what they must be: a text where a list is wanted may be one group or several, and nobody is to guess. */
    private @Nullable Set<Role> roles(JsonNode named) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        roles.addAll(rules.defaultRoles());
        if (named.isMissingNode()) {
            return roles;
        } else if (!named.isArray()) {
            return null;
        }
        for (JsonNode each : named) {
            if (!each.isTextual()) {
                return null;
            }
            roles.addAll(rules.roles().getOrDefault(each.textValue(), Set.of()));
        }
        return roles;
    }

    private static Verdict refused(Refusal why, boolean genuine) {
        return new Verdict.Refused(why, genuine, Optional.empty());
    }
}
