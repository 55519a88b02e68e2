package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.secrets.EncryptedSecret;
import org.sallyport.secrets.Secret;

/** An encrypted secret of a tenant. */
@Entity
@IdClass(SecretEntity.SecretPrimaryKey.class)
@Table(name = "secret")
@SuppressWarnings("NullAway.Init")
class SecretEntity {
    /** Encoded in this class, because JPA converts no id attribute. */
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

    protected SecretEntity() {}

    SecretEntity(EncryptedSecret secret) {
        Secret about = secret.metadata();
        tenant = LosslessText.encode(about.tenant());
        name = about.name();
        createdAt = about.created().at();
        createdBy = about.created().by();
        update(secret);
    }

    /** Replaces the value or its encryption. */
    final void update(EncryptedSecret secret) {
        version = secret.metadata().version();
        keyId = secret.keyId();
        sealed = secret.ciphertext();
        changedAt = secret.metadata().changed().at();
        changedBy = secret.metadata().changed().by();
    }

    EncryptedSecret toEncryptedSecret() {
        Optional<Secret.SecretActivity> used = usedAt == null || usedBy == null
                ? Optional.empty()
                : Optional.of(new Secret.SecretActivity(usedAt, usedBy));
        return new EncryptedSecret(
                new Secret(
                        LosslessText.decode(tenant),
                        name,
                        version,
                        new Secret.SecretActivity(createdAt, createdBy),
                        new Secret.SecretActivity(changedAt, changedBy),
                        used),
                keyId,
                sealed);
    }

    /** Primary key class, as JPA requires it. */
    static class SecretPrimaryKey {
        String tenant;
        String name;

        SecretPrimaryKey() {}

        SecretPrimaryKey(String tenant, String name) {
            this.tenant = LosslessText.encode(tenant);
            this.name = name;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof SecretPrimaryKey key && key.tenant.equals(tenant) && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode() * 31 + name.hashCode();
        }
    }
}
