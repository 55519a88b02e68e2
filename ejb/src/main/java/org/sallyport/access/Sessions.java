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
public final class Sessions {
    /** How long a session lasts. */
    public static final Duration LONGEST = Duration.ofHours(12);

    /** As many as one key or person may have. A further one replaces the one that ends first. */
    public static final int OF_KEY = 20;

    private static final int TOKEN_BYTES = 32;
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{43}");

    private final SessionStore store;
    private final Keys keys;
    private final Predicate<Caller> people;
    private final InstantSource clock;
    private final SecureRandom random;

    /** @param people whether somebody who logged in at a provider would still be let in */
    public Sessions(SessionStore store, Keys keys, Predicate<Caller> people, InstantSource clock, SecureRandom random) {
        this.store = store;
        this.keys = keys;
        this.people = people;
        this.clock = clock;
        this.random = random;
    }

    /**
     * A session that lasts.
     *
     * @param caller who acts in it: the bearer of the key as it is now, or who logged in, as he was then
     * @param name what people call the key or him: text of a stranger
     * @param guard what requests that change something must carry besides the token: a page of another origin cannot read it
     * @param expiresAt when it ends
     */
    public record Session(Caller caller, String name, String guard, Instant expiresAt) {
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
     * @param lasting for how long
     */
    public record Opened(String token, Session session, Duration lasting) {}

    /** Opens a session for the bearer of a key; empty when the key is not valid. */
    public Optional<Opened> open(String secret) {
        return keys.authenticate(secret)
                .flatMap(caller -> keys.valid(caller.keyId()))
                .flatMap(this::open);
    }

    private Optional<Opened> open(ApiKey key) {
        return open(key.id(), clock.instant().plus(LONGEST), Optional.empty());
    }

    /**
     * Opens a session for somebody who logged in at a provider, for as long as its token counts; empty when he would not be let in.
     *
     * @param caller who came with a token
     */
    public Optional<Opened> open(Caller caller, String name) {
        Caller.Token token = caller.token().orElseThrow(() -> new IllegalArgumentException("no bearer of a token"));
        Instant longest = clock.instant().plus(LONGEST);
        return open(
                caller.keyId(),
                token.end().isBefore(longest) ? token.end() : longest,
                Optional.of(new SessionStore.Person(token.subject(), caller.tenant(), caller.roles(), name)));
    }

    private Optional<Opened> open(String keyId, Instant end, Optional<SessionStore.Person> person) {
        Instant now = clock.instant();
        store.removeExpired(now);
        byte[] noise = new byte[TOKEN_BYTES];
        random.nextBytes(noise);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(noise);
        SessionStore.Stored stored = new SessionStore.Stored(Keys.hash(token), keyId, end, person);
        store.add(stored, OF_KEY);
        return session(stored, token).map(session -> new Opened(token, session, Duration.between(now, end)));
    }

    /** The session that a token stands for; empty when there is none, or it is over, or its key is. */
    public Optional<Session> find(String token) {
        if (!FORM.matcher(token).matches()) {
            return Optional.empty();
        }
        return store.find(Keys.hash(token))
                .filter(session -> clock.instant().isBefore(session.expiresAt()))
                .flatMap(session -> session(session, token));
    }

    private Optional<Session> session(SessionStore.Stored stored, String token) {
        Instant end = stored.expiresAt();
        if (stored.person().isEmpty()) {
            return keys.valid(stored.keyId()).map(key -> new Session(key.bearer(), key.name(), guard(token), end));
        }
        SessionStore.Person person = stored.person().get();
        // Streams that he opens end with the session.
        Caller caller = Caller.of(person.subject(), end, person.tenant(), person.roles());
        return Optional.of(new Session(caller, person.name(), guard(token), end))
                .filter(session -> people.test(session.caller()));
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
