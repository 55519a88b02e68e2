package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.sallyport.auth.BlockedSubject;
import org.sallyport.auth.ExternalSubject;

/** A subject of an external issuer whose tokens the service rejects. */
@Entity
@Table(name = "blocked_subject")
@SuppressWarnings("NullAway.Init")
class BlockedSubjectEntity {
    @Id
    @Column(name = "id")
    UUID id;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "issuer")
    @Convert(converter = LosslessTextConverter.class)
    String issuer;

    @Column(name = "subject")
    @Convert(converter = LosslessTextConverter.class)
    String subject;

    @Column(name = "reason")
    @Convert(converter = LosslessTextConverter.class)
    String reason;

    @Column(name = "blocked_by")
    @Convert(converter = LosslessTextConverter.class)
    String by;

    @Column(name = "blocked_at")
    Instant at;

    protected BlockedSubjectEntity() {}

    BlockedSubjectEntity(BlockedSubject blocked) {
        id = blocked.id();
        tenant = blocked.tenant();
        issuer = blocked.subject().issuer();
        subject = blocked.subject().name();
        reason = blocked.reason();
        by = blocked.blockedBy();
        at = blocked.blockedAt();
    }

    BlockedSubject toBlockedSubject() {
        return new BlockedSubject(id, tenant, new ExternalSubject(issuer, subject), reason, by, at);
    }
}
