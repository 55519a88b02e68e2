package org.sallyport.access;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Where sessions live. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when it does not answer.
 */
public interface SessionStore {

    /**
     * A session as it is stored: never what the browser holds.
     *
     * @param hash SHA-256 of that, hexadecimal
     * @param keyId the key it was opened with, or {@link Subject#callerId} of who logged in elsewhere
     * @param expiresAt when it ends
     * @param person who logged in elsewhere; empty when a key did
     */
    record Stored(String hash, String keyId, Instant expiresAt, Optional<Person> person) {
        /** One that a key opened. */
        public Stored(String hash, String keyId, Instant expiresAt) {
            this(hash, keyId, expiresAt, Optional.empty());
        }
    }

    /**
     * Somebody who logged in at a provider, as it was then.
     *
     * @param name how he is called there: text of a stranger
     */
    record Person(Subject subject, String tenant, Set<Role> roles, String name) {
        public Person {
            roles = Set.copyOf(roles);
        }
    }

    /**
     * Adds a session and removes others of its key in one transaction: at most {@code most} are left, the added one and those
     * that end last. Only first sessions of a key that are added at the same moment do not count each other.
     */
    void add(Stored session, int most);

    /** The session with that hash, over or not. */
    Optional<Stored> find(String hash);

    /** Forgets a session, if it is there. */
    void remove(String hash);

    /** Forgets the sessions that ended before {@code now}; how many. */
    int removeExpired(Instant now);
}
