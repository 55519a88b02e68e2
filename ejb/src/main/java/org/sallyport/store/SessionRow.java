package org.sallyport.store;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.sallyport.access.SessionStore;

/** A session at the console. */
@Entity
@Table(name = "console_session")
@SuppressWarnings("NullAway.Init")
class SessionRow {
    @Id
    @Column(name = "hash")
    String hash;

    @Column(name = "key_id")
    String keyId;

    @Column(name = "expires_at")
    Instant expiresAt;

    protected SessionRow() {}

    SessionRow(SessionStore.Stored session) {
        hash = session.hash();
        keyId = session.keyId();
        expiresAt = session.expiresAt();
    }

    SessionStore.Stored session() {
        return new SessionStore.Stored(hash, keyId, expiresAt);
    }
}
