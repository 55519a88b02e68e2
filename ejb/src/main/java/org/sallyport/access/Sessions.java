package org.sallyport.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Sessions of people at browsers: opened with a key, over at the latest after some hours, and at once when the key works no
 * more. On every node alike, since they are stored. Thread-safe.
 */
public final class Sessions {
    /** How long a session lasts. */
    public static final Duration LONGEST = Duration.ofHours(12);

    /** As many as one key may have; the oldest gives way to the next. */
    public static final int OF_KEY = 20;

    private static final int TOKEN_BYTES = 32;
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{43}");

    private final SessionStore store;
    private final Keys keys;
    private final InstantSource clock;
    private final SecureRandom random;

    public Sessions(SessionStore store, Keys keys, InstantSource clock, SecureRandom random) {
        this.store = store;
        this.keys = keys;
        this.clock = clock;
        this.random = random;
    }

    /**
     * A session that lasts.
     *
     * @param key what it was opened with, as it is now
     * @param guard what requests that change something must carry besides the token: a page of another origin cannot read it
     * @param expiresAt when it ends
     */
    public record Session(ApiKey key, String guard, Instant expiresAt) {
        /** Who acts in it. */
        public Caller caller() {
            return new Caller(key.id(), key.tenant(), key.roles());
        }

        /** Whether a request carries the right guard; in constant time. */
        public boolean guardedBy(String given) {
            return MessageDigest.isEqual(
                    guard.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * A session that was just opened.
     *
     * @param token what the browser keeps; 256 random bits
     */
    public record Opened(String token, Session session) {}

    /** Opens a session for the bearer of a key; empty when the key is not valid. */
    public Optional<Opened> open(String secret) {
        return keys.authenticate(secret)
                .flatMap(caller -> keys.valid(caller.keyId()))
                .map(this::open);
    }

    private Opened open(ApiKey key) {
        Instant now = clock.instant();
        store.removeExpired(now);
        byte[] noise = new byte[TOKEN_BYTES];
        random.nextBytes(noise);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(noise);
        Instant end = now.plus(LONGEST);
        store.add(new SessionStore.Stored(Keys.hash(token), key.id(), end));
        store.keep(key.id(), OF_KEY);
        return new Opened(token, new Session(key, guard(token), end));
    }

    /** The session that a token stands for; empty when there is none, or it is over, or its key is. */
    public Optional<Session> find(String token) {
        if (!FORM.matcher(token).matches()) {
            return Optional.empty();
        }
        return store.find(Keys.hash(token))
                .filter(session -> clock.instant().isBefore(session.expiresAt()))
                .flatMap(session ->
                        keys.valid(session.keyId()).map(key -> new Session(key, guard(token), session.expiresAt())));
    }

    /** Ends a session; nothing happens when there is none. */
    public void close(String token) {
        if (FORM.matcher(token).matches()) {
            store.remove(Keys.hash(token));
        }
    }

    /** Follows from the token, which scripts in the browser never see; the stored hash is another. */
    private static String guard(String token) {
        return Keys.hash("guard " + token);
    }
}
