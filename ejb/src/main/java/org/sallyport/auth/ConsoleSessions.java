package org.sallyport.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Browser sessions of console users, opened with an API key or after a login at an identity provider. A session ends
 * after at most {@link #MAX_LIFETIME}, and immediately when its key stops working or its subject would no longer be
 * admitted. Sessions are stored and therefore valid on every node. Thread-safe.
 */
public final class ConsoleSessions {
    /** The maximum lifetime of a session. */
    public static final Duration MAX_LIFETIME = Duration.ofHours(12);

    /** The maximum number of sessions of one key or person. A further session replaces the one that expires first. */
    public static final int MAX_PER_CALLER = 20;

    private static final int TOKEN_BYTES = 32;
    private static final Pattern TOKEN_PATTERN = Pattern.compile("[A-Za-z0-9_-]{43}");

    private final ConsoleSessionStore store;
    private final ApiKeyService keys;
    private final Predicate<Caller> externalLoginCheck;
    private final InstantSource clock;
    private final SecureRandom random;

    /** @param people whether a person who logged in at a provider would still be admitted */
    public ConsoleSessions(
            ConsoleSessionStore store,
            ApiKeyService keys,
            Predicate<Caller> people,
            InstantSource clock,
            SecureRandom random) {
        this.store = store;
        this.keys = keys;
        this.externalLoginCheck = people;
        this.clock = clock;
        this.random = random;
    }

    /**
     * A valid session.
     *
     * @param caller the caller who acts in the session: the bearer of the key with its current rights, or the person
     *     with the rights of the time of the login
     * @param displayName display name of the key or the person; untrusted text
     * @param csrfToken value that state-changing requests must carry besides the token; a page of another origin cannot
     *     read it
     * @param expiresAt when the session ends
     */
    public record ConsoleSession(Caller caller, String displayName, String csrfToken, Instant expiresAt) {
        /** Returns whether a request carries the right CSRF token. Compares in constant time. */
        public boolean matchesCsrfToken(String given) {
            return MessageDigest.isEqual(
                    csrfToken.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * A session that was just opened.
     *
     * @param token the token that the browser stores; 256 random bits
     * @param lifetime how long the session lasts
     */
    public record OpenedSession(String token, ConsoleSession session, Duration lifetime) {}

    /** Opens a session for the bearer of a key. Empty when the key is not valid. */
    public Optional<OpenedSession> open(String secret) {
        return keys.authenticate(secret)
                .flatMap(caller -> keys.findValid(caller.id()))
                .flatMap(this::open);
    }

    private Optional<OpenedSession> open(ApiKey key) {
        return open(key.id(), clock.instant().plus(MAX_LIFETIME), Optional.empty());
    }

    /**
     * Opens a session for a person who logged in at a provider. It lasts as long as the person's token is valid. Empty
     * when the person would not be admitted.
     *
     * @param caller a caller that has a token
     */
    public Optional<OpenedSession> open(Caller caller, String name) {
        Caller.CallerToken token =
                caller.token().orElseThrow(() -> new IllegalArgumentException("the caller has no token"));
        Instant longest = clock.instant().plus(MAX_LIFETIME);
        return open(
                caller.id(),
                token.expiresAt().isBefore(longest) ? token.expiresAt() : longest,
                Optional.of(
                        new ConsoleSessionStore.ExternalLogin(token.subject(), caller.tenant(), caller.roles(), name)));
    }

    private Optional<OpenedSession> open(
            String keyId, Instant end, Optional<ConsoleSessionStore.ExternalLogin> person) {
        Instant now = clock.instant();
        store.removeExpired(now);
        byte[] noise = new byte[TOKEN_BYTES];
        random.nextBytes(noise);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(noise);
        ConsoleSessionStore.StoredSession stored =
                new ConsoleSessionStore.StoredSession(ApiKeyService.sha256Hex(token), keyId, end, person);
        store.add(stored, MAX_PER_CALLER);
        return toSession(stored, token).map(session -> new OpenedSession(token, session, Duration.between(now, end)));
    }

    /** Returns the session of a token. Empty when there is none, or the session or its key has expired. */
    public Optional<ConsoleSession> find(String token) {
        if (!TOKEN_PATTERN.matcher(token).matches()) {
            return Optional.empty();
        }
        return store.find(ApiKeyService.sha256Hex(token))
                .filter(session -> clock.instant().isBefore(session.expiresAt()))
                .flatMap(session -> toSession(session, token));
    }

    private Optional<ConsoleSession> toSession(ConsoleSessionStore.StoredSession stored, String token) {
        Instant end = stored.expiresAt();
        if (stored.externalLogin().isEmpty()) {
            return keys.findValid(stored.callerId())
                    .map(key -> new ConsoleSession(key.toCaller(), key.name(), csrfTokenFor(token), end));
        }
        ConsoleSessionStore.ExternalLogin person = stored.externalLogin().get();
        // Event streams that the caller opens end with the session.
        Caller caller = Caller.of(person.subject(), end, person.tenant(), person.roles());
        return Optional.of(new ConsoleSession(caller, person.displayName(), csrfTokenFor(token), end))
                .filter(session -> externalLoginCheck.test(session.caller()));
    }

    /** Ends a session. Does nothing when there is none. */
    public void close(String token) {
        if (TOKEN_PATTERN.matcher(token).matches()) {
            store.remove(ApiKeyService.sha256Hex(token));
        }
    }

    /** Derived from the token, which scripts in the browser cannot read. It differs from the stored hash. */
    private static String csrfTokenFor(String token) {
        return ApiKeyService.sha256Hex("guard " + token);
    }
}
