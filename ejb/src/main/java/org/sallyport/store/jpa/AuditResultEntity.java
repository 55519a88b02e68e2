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
import org.sallyport.audit.AuditResult;

/** The result of the action of an {@link AuditEntryEntity}. */
@Entity
@Table(name = "audit_result")
@SuppressWarnings("NullAway.Init")
class AuditResultEntity {
    @Id
    @Column(name = "entry_id", updatable = false)
    UUID entryId;

    @Column(name = "tenant", updatable = false)
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "at", insertable = false, updatable = false)
    Instant at;

    @Column(name = "result", updatable = false)
    @Enumerated(EnumType.STRING)
    AuditResult.AuditOutcome result;

    @Column(name = "status", updatable = false)
    int status;

    @Column(name = "object", updatable = false)
    @Convert(converter = LosslessTextConverter.class)
    String object;

    @Column(name = "note", updatable = false)
    @Convert(converter = LosslessTextConverter.class)
    String note;

    protected AuditResultEntity() {}

    AuditResultEntity(String tenant, UUID entry, AuditResult of) {
        this.tenant = tenant;
        entryId = entry;
        result = of.outcome();
        status = of.status();
        object = of.created();
        note = of.note();
    }

    AuditResult toAuditResult() {
        return new AuditResult(result, status, object, note);
    }
}
