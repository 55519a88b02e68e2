package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.sallyport.audit.AuditEntry;

/** An audit entry, written before its action is performed. {@link AuditResultEntity} holds the result. */
@Entity
@Table(name = "audit_entry")
@SuppressWarnings("NullAway.Init")
class AuditEntryEntity {
    @Id
    @Column(name = "id", updatable = false)
    UUID id;

    @Column(name = "tenant", updatable = false)
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "at", insertable = false, updatable = false)
    Instant at;

    @Column(name = "actor", updatable = false)
    @Convert(converter = LosslessTextConverter.class)
    String actor;

    @Column(name = "channel", updatable = false)
    @Enumerated(EnumType.STRING)
    AuditEntry.AuditChannel channel;

    @Column(name = "address", updatable = false)
    @Convert(converter = LosslessTextConverter.class)
    String address;

    @Column(name = "action", updatable = false)
    @Convert(converter = LosslessTextConverter.class)
    String action;

    @Column(name = "object", updatable = false)
    @Convert(converter = LosslessTextConverter.class)
    String object;

    protected AuditEntryEntity() {}

    AuditEntryEntity(AuditEntry entry) {
        id = entry.id();
        tenant = entry.tenant();
        actor = entry.actor();
        channel = entry.channel();
        address = entry.address();
        action = entry.action();
        object = entry.object();
    }

    AuditEntry toAuditEntry() {
        return new AuditEntry(id, tenant, actor, channel, address, action, object);
    }
}
