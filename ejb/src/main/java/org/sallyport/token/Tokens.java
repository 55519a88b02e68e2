package org.sallyport.token;

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
import org.sallyport.access.BlockedSubjects;
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;

/**
 * Judges bearer tokens (RFC 7519) of the issuers that the settings name, and of nobody else: by their keys alone, whatever a token
 * brings along or points to. Thread-safe.
 */
public final class Tokens {
    private static final Pattern COMPACT = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");
    /** They would say which key to trust, or what must be understood. */
    private static final List<String> NOT_TAKEN = List.of("jku", "x5u", "jwk", "x5c", "crit", "b64", "zip");

    /** Of ID tokens: an access token of the same issuer logs nobody in. */
    private static final Set<String> ID_TOKENS = Set.of("", "jwt");

    private final @Nullable TokenRules rules;
    private final Map<String, IssuedTokens> issuers;
    private final Map<String, IssuedTokens> logins;
    private final BlockedSubjects blocked;

    private Tokens(
            @Nullable TokenRules rules,
            Map<String, IssuedTokens> issuers,
            Map<String, IssuedTokens> logins,
            BlockedSubjects blocked) {
        this.rules = rules;
        this.issuers = Map.copyOf(issuers);
        this.logins = Map.copyOf(logins);
        this.blocked = blocked;
    }

    /** Says what cannot be before anything is begun; {@link org.sallyport.configuration.InvalidConfigurationException}. */
    public static void check(Configuration configuration) {
        TokenRulesReader.read(configuration);
    }

    /**
     * As the settings say; {@link org.sallyport.configuration.InvalidConfigurationException} when they cannot be.
     *
     * @param background where keys are fetched before they are needed
     */
    public static Tokens open(
            Configuration configuration, BlockedSubjects blocked, InstantSource clock, ExecutorService background) {
        Optional<TokenRules> rules = TokenRulesReader.read(configuration);
        Optional<LoginRules> login = LoginRules.read(configuration);
        Map<String, IssuedTokens> issuers = new HashMap<>();
        Map<String, IssuedTokens> logins = new HashMap<>();
        if (rules.isPresent()) {
            KeyFetch fetch = new KeyFetch();
            for (TokenRules.Issuer issuer : rules.get().issuers()) {
                KeyRing keys =
                        new KeyRing(new IssuerKeys(issuer, fetch), rules.get().keyTimes(), clock, background);
                background.execute(keys::warm);
                issuers.put(issuer.name(), new IssuedTokens(rules.get(), issuer, keys, clock, Optional.empty()));
                login.filter(there -> there.issuer().equals(issuer.name()))
                        .ifPresent(there -> logins.put(
                                issuer.name(),
                                new IssuedTokens(rules.get(), issuer, keys, clock, Optional.of(there.client()))));
            }
        }
        return new Tokens(rules.orElse(null), issuers, logins, blocked);
    }

    /** Whether there is anybody whose tokens are taken. */
    public boolean areTaken() {
        return rules != null;
    }

    /** Whether the settings name this issuer. */
    public boolean knows(String issuer) {
        return issuers.containsKey(issuer);
    }

    /**
     * What to think of a token. {@link org.sallyport.execution.StoreUnavailableException} when nobody can say whether its subject
     * is blocked.
     */
    public Verdict judge(String token) {
        return judge(token, issuers, rules == null ? Set.of() : rules.types(), "");
    }

    /**
     * What to think of the ID token of somebody who logs in, by the same rules but that it is for the client that the settings name,
     * and holds {@code nonce}. {@link org.sallyport.execution.StoreUnavailableException} as above.
     */
    Verdict judgeIdToken(String token, String nonce) {
        return judge(token, logins, ID_TOKENS, nonce);
    }

    private Verdict judge(String token, Map<String, IssuedTokens> from, Set<String> types, String nonce) {
        TokenRules in = rules;
        if (in == null) {
            return refused(Refusal.ISSUER);
        } else if (token.length() > in.longest()) {
            return refused(Refusal.TOO_LONG);
        } else if (!COMPACT.matcher(token).matches()) {
            return refused(Refusal.MALFORMED);
        }
        Verdict verdict;
        try {
            verdict = judge(in, token, from, types, nonce);
        } catch (ParseException | JsonProcessingException e) {
            return refused(Refusal.MALFORMED);
        }
        return verdict instanceof Verdict.Accepted accepted && isBlocked(accepted.caller())
                ? new Verdict.Refused(Refusal.BLOCKED, true, Optional.of(accepted.caller()))
                : verdict;
    }

    private static Verdict judge(
            TokenRules in, String token, Map<String, IssuedTokens> from, Set<String> types, String nonce)
            throws ParseException, JsonProcessingException {
        String[] parts = token.split("\\.", -1);
        ObjectNode header = part(parts[0]);
        // First, since the library speaks of other kinds of tokens as malformed.
        if (!in.algorithms().contains(header.path("alg").asText())) {
            return refused(Refusal.ALGORITHM);
        } else if (NOT_TAKEN.stream().anyMatch(header::has)) {
            return refused(Refusal.HEADER);
        }
        String type = type(header);
        if (!types.contains(type)) {
            return refused(Refusal.TYPE);
        }
        ObjectNode claims = part(parts[1]);
        JsonNode named = claims.path("iss");
        // Nobody believes it yet: it only says whose keys to try.
        @Nullable IssuedTokens issuer = named.isTextual() ? from.get(named.textValue()) : null;
        return issuer == null ? refused(Refusal.ISSUER) : issuer.judge(SignedJWT.parse(token), type, claims, nonce);
    }

    private static ObjectNode part(String encoded) throws JsonProcessingException {
        return StrictClaims.object(new com.nimbusds.jose.util.Base64URL(encoded).decodeToString());
    }

    /** Media types may come with {@code application/} or without (RFC 7515, 4.1.9), in any case. */
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
                .map(token -> blocked.contains(caller.tenant(), token.subject()))
                .orElse(false);
    }

    private static Verdict refused(Refusal why) {
        return new Verdict.Refused(why, false, Optional.empty());
    }
}
