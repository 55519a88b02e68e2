package org.sallyport.access;

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
 * Sessions of people at browsers: opened with a key, or by who logged in at a provider; over at the latest after some hours, and at
 * once when the key works no more, or nobody would let him in any longer. On every node alike, since they are stored. Thread-safe.
 */
public final class ConsoleSessions {
    /** How long a session lasts. */
    public static final Duration MAX_LIFETIME = Duration.ofHours(12);

    /** As many as one key or person may have. A further one replaces the one that ends first. */
    public static final int MAX_PER_CALLER = 20;

    private static final int TOKEN_BYTES = 32;
    private static final Pattern TOKEN_PATTERN = Pattern.compile("[A-Za-z0-9_-]{43}");

    private final ConsoleSessionStore store;
    private final ApiKeyService keys;
    private final Predicate<Caller> externalLoginCheck;
    private final InstantSource clock;
    private final SecureRandom random;

    /** @param people whether somebody who logged in at a provider would still be let in */
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
     * A session that lasts.
     *
     * @param caller who acts in it: the bearer of the key as it is now, or who logged in, as he was then
     * @param displayName what people call the key or him: text of a stranger
     * @param csrfToken what requests that change something must carry besides the token: a page of another origin cannot read it
     * @param expiresAt when it ends
     */
    public record ConsoleSession(Caller caller, String displayName, String csrfToken, Instant expiresAt) {
        /** Whether a request carries the right guard; in constant time. */
        public boolean matchesCsrfToken(String given) {
            return MessageDigest.isEqual(
                    csrfToken.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * A session that was just opened.
     *
     * @param token what the browser keeps; 256 random bits
     * @param lifetime for how long
     */
    public record OpenedSession(String token, ConsoleSession session, Duration lifetime) {}

    /** Opens a session for the bearer of a key; empty when the key is not valid. */
    public Optional<OpenedSession> open(String secret) {
        return keys.authenticate(secret)
                .flatMap(caller -> keys.findValid(caller.id()))
                .flatMap(this::open);
    }

    private Optional<OpenedSession> open(ApiKey key) {
        return open(key.id(), clock.instant().plus(MAX_LIFETIME), Optional.empty());
    }

    /**
     * Opens a session for somebody who logged in at a provider, for as long as its token counts; empty when he would not be let in.
     *
     * @param caller who came with a token
     */
    public Optional<OpenedSession> open(Caller caller, String name) {
        Caller.CallerToken token =
                caller.token().orElseThrow(() -> new IllegalArgumentException("no bearer of a token"));
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

    /** The session that a token stands for; empty when there is none, or it is over, or its key is. */
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
        // Streams that he opens end with the session.
        Caller caller = Caller.of(person.subject(), end, person.tenant(), person.roles());
        return Optional.of(new ConsoleSession(caller, person.displayName(), csrfTokenFor(token), end))
                .filter(session -> externalLoginCheck.test(session.caller()));
    }

    /** Ends a session; nothing happens when there is none. */
    public void close(String token) {
        if (TOKEN_PATTERN.matcher(token).matches()) {
            store.remove(ApiKeyService.sha256Hex(token));
        }
    }

    /** Follows from the token, which scripts in the browser never see; the stored hash is another. */
    private static String csrfTokenFor(String token) {
        return ApiKeyService.sha256Hex("guard " + token);
    }
}
