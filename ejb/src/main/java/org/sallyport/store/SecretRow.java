package org.sallyport.store;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.secret.SealedSecret;
import org.sallyport.secret.Secret;

/** A sealed secret. */
@Entity
@IdClass(SecretRow.Key.class)
@Table(name = "secret")
@SuppressWarnings("NullAway.Init")
class SecretRow {
    /** JPA converts no id attribute, so this one is encoded by hand. */
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "name")
    String name;

    @Column(name = "version")
    int version;

    @Column(name = "key_id")
    String keyId;

    @Column(name = "sealed")
    String sealed;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "created_by")
    @Convert(converter = LosslessTextConverter.class)
    String createdBy;

    @Column(name = "changed_at")
    Instant changedAt;

    @Column(name = "changed_by")
    @Convert(converter = LosslessTextConverter.class)
    String changedBy;

    @Column(name = "used_at")
    @Nullable Instant usedAt;

    @Column(name = "used_by")
    @Nullable String usedBy;

    protected SecretRow() {}

    SecretRow(SealedSecret secret) {
        Secret about = secret.about();
        tenant = LosslessText.encode(about.tenant());
        name = about.name();
        createdAt = about.created().at();
        createdBy = about.created().by();
        set(secret);
    }

    /** Another value or seal. */
    final void set(SealedSecret secret) {
        version = secret.about().version();
        keyId = secret.keyId();
        sealed = secret.sealed();
        changedAt = secret.about().changed().at();
        changedBy = secret.about().changed().by();
    }

    SealedSecret secret() {
        Optional<Secret.Mark> used =
                usedAt == null || usedBy == null ? Optional.empty() : Optional.of(new Secret.Mark(usedAt, usedBy));
        return new SealedSecret(
                new Secret(
                        LosslessText.decode(tenant),
                        name,
                        version,
                        new Secret.Mark(createdAt, createdBy),
                        new Secret.Mark(changedAt, changedBy),
                        used),
                keyId,
                sealed);
    }

    /** Primary key, as JPA wants it. */
    static class Key {
        String tenant;
        String name;

        Key() {}

        Key(String tenant, String name) {
            this.tenant = LosslessText.encode(tenant);
            this.name = name;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && key.tenant.equals(tenant) && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode() * 31 + name.hashCode();
        }
    }
}
