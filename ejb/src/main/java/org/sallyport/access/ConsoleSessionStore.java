package org.sallyport.access;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Where sessions live. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when it does not answer.
 */
public interface ConsoleSessionStore {

    /**
     * A session as it is stored: never what the browser holds.
     *
     * @param hash SHA-256 of that, hexadecimal
     * @param callerId the key it was opened with, or {@link ExternalSubject#callerId} of who logged in elsewhere
     * @param expiresAt when it ends
     * @param externalLogin who logged in elsewhere; empty when a key did
     */
    record StoredSession(String hash, String callerId, Instant expiresAt, Optional<ExternalLogin> externalLogin) {
        /** One that a key opened. */
        public StoredSession(String hash, String callerId, Instant expiresAt) {
            this(hash, callerId, expiresAt, Optional.empty());
        }
    }

    /**
     * Somebody who logged in at a provider, as it was then.
     *
     * @param displayName how he is called there: text of a stranger
     */
    record ExternalLogin(ExternalSubject subject, String tenant, Set<Role> roles, String displayName) {
        public ExternalLogin {
            roles = Set.copyOf(roles);
        }
    }

    /**
     * Adds a session and removes others of its key in one transaction: at most {@code most} are left, the added one and those
     * that end last. Only first sessions of a key that are added at the same moment do not count each other.
     */
    void add(StoredSession session, int most);

    /** The session with that hash, over or not. */
    Optional<StoredSession> find(String hash);

    /** Forgets a session, if it is there. */
    void remove(String hash);

    /** Forgets the sessions that ended before {@code now}; how many. */
    int removeExpired(Instant now);
}
