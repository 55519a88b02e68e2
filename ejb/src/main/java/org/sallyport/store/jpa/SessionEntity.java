package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.ConsoleSessionStore;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;

/** A console session. */
@Entity
@Table(name = "console_session")
@SuppressWarnings("NullAway.Init")
class SessionEntity {
    @Id
    @Column(name = "hash")
    String hash;

    @Column(name = "key_id")
    String keyId;

    @Column(name = "expires_at")
    Instant expiresAt;

    @Column(name = "issuer")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String issuer;

    @Column(name = "subject")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String subject;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String tenant;

    @Column(name = "roles")
    @Nullable String roles;

    @Column(name = "name")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String name;

    protected SessionEntity() {}

    SessionEntity(ConsoleSessionStore.StoredSession session) {
        hash = session.hash();
        keyId = session.callerId();
        expiresAt = session.expiresAt();
        session.externalLogin().ifPresent(person -> {
            issuer = person.subject().issuer();
            subject = person.subject().name();
            tenant = person.tenant();
            roles = person.roles().stream().map(Role::name).sorted().collect(Collectors.joining(","));
            name = person.displayName();
        });
    }

    ConsoleSessionStore.StoredSession toStoredSession() {
        return new ConsoleSessionStore.StoredSession(hash, keyId, expiresAt, Optional.ofNullable(toPerson()));
    }

    private ConsoleSessionStore.@Nullable ExternalLogin toPerson() {
        if (issuer == null || subject == null || tenant == null || roles == null || name == null) {
            return null;
        }
        return new ConsoleSessionStore.ExternalLogin(
                new ExternalSubject(issuer, subject),
                tenant,
                Arrays.stream(roles.split(","))
                        .filter(role -> !role.isEmpty())
                        .map(Role::valueOf)
                        .collect(Collectors.toSet()),
                name);
    }
}
