package org.sallyport.identity.token;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.nimbusds.jwt.SignedJWT;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;

/**
 * Verifies bearer tokens (RFC 7519) of the configured issuers only. Uses only the keys of the issuer and ignores keys
 * that a token contains or refers to. Thread-safe.
 */
public final class JwtAuthenticator {
    private static final Pattern COMPACT_PATTERN = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");
    /** These headers would choose the key, or require extensions that the service must understand. */
    private static final List<String> FORBIDDEN_HEADERS = List.of("jku", "x5u", "jwk", "x5c", "crit", "b64", "zip");

    /** Types of ID tokens. An access token of the same issuer must not log a person in. */
    private static final Set<String> ID_TOKEN_TYPES = Set.of("", "jwt");

    private final @Nullable JwtConfig config;
    private final Map<String, JwtVerifier> verifiers;
    private final Map<String, JwtVerifier> idTokenVerifiers;
    private final BlockedSubjectCache blockedSubjects;

    private JwtAuthenticator(
            @Nullable JwtConfig rules,
            Map<String, JwtVerifier> issuers,
            Map<String, JwtVerifier> logins,
            BlockedSubjectCache blocked) {
        this.config = rules;
        this.verifiers = Map.copyOf(issuers);
        this.idTokenVerifiers = Map.copyOf(logins);
        this.blockedSubjects = blocked;
    }

    /**
     * Validates the settings before the service starts. Throws
     * {@link org.sallyport.configuration.InvalidConfigurationException} when they are invalid.
     */
    public static void check(Configuration configuration) {
        JwtConfigReader.read(configuration);
    }

    /**
     * Creates an authenticator from the settings. Throws
     * {@link org.sallyport.configuration.InvalidConfigurationException} when they are invalid.
     *
     * @param background executor that prefetches keys
     */
    public static JwtAuthenticator open(
            Configuration configuration, BlockedSubjectCache blocked, InstantSource clock, ExecutorService background) {
        Optional<JwtConfig> rules = JwtConfigReader.read(configuration);
        Optional<OidcClientConfig> login = OidcClientConfig.read(configuration);
        Map<String, JwtVerifier> issuers = new HashMap<>();
        Map<String, JwtVerifier> logins = new HashMap<>();
        if (rules.isPresent()) {
            IssuerHttpClient fetch = new IssuerHttpClient();
            for (JwtConfig.TrustedIssuer issuer : rules.get().issuers()) {
                JwksCache keys =
                        new JwksCache(new JwksClient(issuer, fetch), rules.get().jwksCacheTimes(), clock, background);
                background.execute(keys::prefetch);
                issuers.put(issuer.name(), new JwtVerifier(rules.get(), issuer, keys, clock, Optional.empty()));
                login.filter(there -> there.issuer().equals(issuer.name()))
                        .ifPresent(there -> logins.put(
                                issuer.name(),
                                new JwtVerifier(rules.get(), issuer, keys, clock, Optional.of(there.clientId()))));
            }
        }
        return new JwtAuthenticator(rules.orElse(null), issuers, logins, blocked);
    }

    /** Returns whether any issuer is configured. */
    public boolean isEnabled() {
        return config != null;
    }

    /** Returns whether the settings name this issuer. */
    public boolean isTrustedIssuer(String issuer) {
        return verifiers.containsKey(issuer);
    }

    /**
     * Verifies a token. Throws {@link org.sallyport.execution.StoreUnavailableException} when the store cannot tell
     * whether its subject is blocked.
     */
    public TokenVerification verify(String token) {
        return verify(token, verifiers, config == null ? Set.of() : config.types(), "");
    }

    /**
     * Verifies the ID token of a person who logs in, by the same rules, except that its audience is the configured
     * client and it must contain {@code nonce}. Throws {@link org.sallyport.execution.StoreUnavailableException} as
     * {@link #verify} does.
     */
    TokenVerification verifyIdToken(String token, String nonce) {
        return verify(token, idTokenVerifiers, ID_TOKEN_TYPES, nonce);
    }

    private TokenVerification verify(String token, Map<String, JwtVerifier> from, Set<String> types, String nonce) {
        JwtConfig in = config;
        if (in == null) {
            return rejected(TokenRejection.ISSUER);
        } else if (token.length() > in.maxLength()) {
            return rejected(TokenRejection.TOO_LONG);
        } else if (!COMPACT_PATTERN.matcher(token).matches()) {
            return rejected(TokenRejection.MALFORMED);
        }
        TokenVerification verdict;
        try {
            verdict = verify(in, token, from, types, nonce);
        } catch (ParseException | JsonProcessingException e) {
            return rejected(TokenRejection.MALFORMED);
        }
        return verdict instanceof TokenVerification.TokenAccepted accepted && isBlocked(accepted.caller())
                ? new TokenVerification.TokenRejected(TokenRejection.BLOCKED, true, Optional.of(accepted.caller()))
                : verdict;
    }

    private static TokenVerification verify(
            JwtConfig in, String token, Map<String, JwtVerifier> from, Set<String> types, String nonce)
            throws ParseException, JsonProcessingException {
        String[] parts = token.split("\\.", -1);
        ObjectNode header = decodePart(parts[0]);
        // Checked first, because the library reports other kinds of tokens as malformed.
        if (!in.algorithms().contains(header.path("alg").asText())) {
            return rejected(TokenRejection.ALGORITHM);
        } else if (FORBIDDEN_HEADERS.stream().anyMatch(header::has)) {
            return rejected(TokenRejection.HEADER);
        }
        String type = type(header);
        if (!types.contains(type)) {
            return rejected(TokenRejection.TYPE);
        }
        ObjectNode claims = decodePart(parts[1]);
        JsonNode named = claims.path("iss");
        // The issuer is not verified yet; it only selects the keys to try.
        @Nullable JwtVerifier issuer = named.isTextual() ? from.get(named.textValue()) : null;
        return issuer == null
                ? rejected(TokenRejection.ISSUER)
                : issuer.verify(SignedJWT.parse(token), type, claims, nonce);
    }

    private static ObjectNode decodePart(String encoded) throws JsonProcessingException {
        return StrictClaimsParser.parseObject(new com.nimbusds.jose.util.Base64URL(encoded).decodeToString());
    }

    /** Media types may have the prefix {@code application/} or not (RFC 7515, 4.1.9), in any case. */
    private static String type(JsonNode header) {
        JsonNode type = header.path("typ");
        if (type.isMissingNode()) {
            return "";
        }
        String text = type.isTextual() && !type.textValue().isEmpty()
                ? type.textValue().toLowerCase(Locale.ROOT)
                : "none that there is";
        return text.startsWith("application/") ? text.substring("application/".length()) : text;
    }

    private boolean isBlocked(Caller caller) {
        return caller.token()
                .map(token -> blockedSubjects.isBlocked(caller.tenant(), token.subject()))
                .orElse(false);
    }

    private static TokenVerification rejected(TokenRejection why) {
        return new TokenVerification.TokenRejected(why, false, Optional.empty());
    }
}
