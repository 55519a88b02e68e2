package org.sallyport.access;

import java.time.Instant;
import java.util.Optional;

/**
 * Where sessions live. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when it does not answer.
 */
public interface SessionStore {

    /**
     * A session as it is stored: never what the browser holds.
     *
     * @param hash SHA-256 of that, hexadecimal
     * @param keyId the key it was opened with
     * @param expiresAt when it ends
     */
    record Stored(String hash, String keyId, Instant expiresAt) {}

    /** Adds a session. */
    void add(Stored session);

    /** The session with that hash, over or not. */
    Optional<Stored> find(String hash);

    /** Forgets a session, if it is there. */
    void remove(String hash);

    /** Forgets the sessions of a key but for the {@code most} that end last. */
    void keep(String keyId, int most);

    /** Forgets the sessions that ended before {@code now}; how many. */
    int removeExpired(Instant now);
}
