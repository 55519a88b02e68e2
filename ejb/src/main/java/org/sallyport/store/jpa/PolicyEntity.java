package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.tool.Json;

/** One version of a tenant's policy. The tenant is encoded in code, because JPA converts no id attribute. */
@Entity
@IdClass(PolicyEntity.PolicyPrimaryKey.class)
@Table(name = "policy")
@SuppressWarnings("NullAway.Init")
class PolicyEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "version")
    long version;

    @Column(name = "document")
    @Convert(converter = JsonConverter.class)
    Json document;

    @Column(name = "comment")
    @Convert(converter = LosslessTextConverter.class)
    String comment;

    @Column(name = "author")
    @Convert(converter = LosslessTextConverter.class)
    String author;

    @Column(name = "created_at", insertable = false, updatable = false)
    Instant createdAt;

    protected PolicyEntity() {}

    PolicyEntity(String tenant, long version, Json document, String comment, String author) {
        this.tenant = LosslessText.encode(tenant);
        this.version = version;
        this.document = document;
        this.comment = comment;
        this.author = author;
    }

    PolicyVersion toPolicyVersion() {
        return new PolicyVersion(version, document, comment, author, createdAt);
    }

    /** Primary key class, as JPA requires it. */
    static class PolicyPrimaryKey {
        String tenant;
        long version;

        PolicyPrimaryKey() {}

        PolicyPrimaryKey(String tenant, long version) {
            this.tenant = LosslessText.encode(tenant);
            this.version = version;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof PolicyPrimaryKey key && key.version == version && key.tenant.equals(tenant);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode() * 31 + Long.hashCode(version);
        }
    }
}
