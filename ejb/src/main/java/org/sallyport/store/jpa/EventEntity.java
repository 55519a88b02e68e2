package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;

/**
 * An event. Tenant and name are stored in the encoding of {@link LosslessText}, which this package applies itself
 * because JPA converts no id attribute. Queries select single attributes, because EclipseLink cannot read the null UUID
 * of an event that no script emitted.
 */
@Entity
@IdClass(EventEntity.EventPrimaryKey.class)
@Table(name = "event")
@SuppressWarnings("NullAway.Init")
class EventEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "seq")
    long seq;

    @Column(name = "name")
    String name;

    @Column(name = "data")
    @Convert(converter = JsonConverter.class)
    Json data;

    @Column(name = "execution_id")
    UUID executionId;

    @Column(name = "call_ordinal")
    long call;

    @Column(name = "at", insertable = false, updatable = false)
    Instant at;

    @Column(name = "emitted_by")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String emittedBy;

    @Column(name = "client_key")
    @Nullable String clientKey;

    @Column(name = "body_hash")
    @Nullable String bodyHash;

    protected EventEntity() {}

    /** Creates the event of a script. */
    EventEntity(EventSequenceEntity head, String name, Json data, UUID executionId, long call) {
        this.tenant = head.tenant;
        this.seq = head.lastSeq;
        this.name = LosslessText.encode(name);
        this.data = data;
        this.executionId = executionId;
        this.call = call;
    }

    /** The primary key class that JPA requires. */
    static class EventPrimaryKey {
        String tenant;
        long seq;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof EventPrimaryKey key && key.seq == seq && key.tenant.equals(tenant);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode() * 31 + Long.hashCode(seq);
        }
    }
}
