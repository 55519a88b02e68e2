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
     * Adds a session. At most {@code most} of its key are left: the added one, and of the others those that end last. Both
     * happen or neither.
     */
    void add(Stored session, int most);

    /** The session with that hash, over or not. */
    Optional<Stored> find(String hash);

    /** Forgets a session, if it is there. */
    void remove(String hash);

    /** Forgets the sessions that ended before {@code now}; how many. */
    int removeExpired(Instant now);
}
