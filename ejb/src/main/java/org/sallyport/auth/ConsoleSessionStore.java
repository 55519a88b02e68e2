package org.sallyport.auth;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Stores console sessions. Thread-safe; throws {@link org.sallyport.execution.StoreUnavailableException} when the store
 * does not answer.
 */
public interface ConsoleSessionStore {

    /**
     * A session as it is stored. It never holds the token of the browser.
     *
     * @param hash SHA-256 of the token, hexadecimal
     * @param callerId id of the key that opened the session, or the {@link ExternalSubject#callerId} of a person who
     *     logged in at a provider
     * @param expiresAt when the session ends
     * @param externalLogin the login at a provider; empty when a key opened the session
     */
    record StoredSession(String hash, String callerId, Instant expiresAt, Optional<ExternalLogin> externalLogin) {
        /** Creates a session that a key opened. */
        public StoredSession(String hash, String callerId, Instant expiresAt) {
            this(hash, callerId, expiresAt, Optional.empty());
        }
    }

    /**
     * A person who logged in at a provider, as of the time of the login.
     *
     * @param displayName the person's name at the provider; untrusted text
     */
    record ExternalLogin(ExternalSubject subject, String tenant, Set<Role> roles, String displayName) {
        public ExternalLogin {
            roles = Set.copyOf(roles);
        }
    }

    /**
     * Adds a session and removes others of its key in one transaction. At most {@code maxSessions} remain: the added
     * one and, of the others, those that expire last. Two first sessions of a key that are added at the same moment do
     * not count each other.
     */
    void add(StoredSession session, int maxSessions);

    /** Returns the session with that hash, expired or not. */
    Optional<StoredSession> find(String hash);

    /** Removes a session, if it exists. */
    void remove(String hash);

    /** Removes the sessions that expired before {@code now} and returns their number. */
    int removeExpired(Instant now);
}
