package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.VoteResult;

/** A link with which its creator can vote on an approval once. */
@Entity
@Table(name = "approval_link")
@SuppressWarnings("NullAway.Init")
class ApprovalLinkEntity {
    @Id
    @Column(name = "id")
    UUID id;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "approval_id")
    UUID approvalId;

    @Column(name = "seal")
    String seal;

    @Column(name = "maker")
    @Convert(converter = LosslessTextConverter.class)
    String maker;

    @Column(name = "issuer")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String issuer;

    @Column(name = "subject")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String subject;

    @Column(name = "created_at", insertable = false, updatable = false)
    Instant createdAt;

    @Column(name = "expires_at")
    Instant expiresAt;

    @Column(name = "used_at")
    @Nullable Instant usedAt;

    protected ApprovalLinkEntity() {}

    ApprovalLinkEntity(ApprovalLink link) {
        id = link.id();
        tenant = link.tenant();
        approvalId = link.approval();
        seal = link.digest();
        maker = link.creator().id();
        link.creator().identity().ifPresent(person -> {
            issuer = person.issuer();
            subject = person.name();
        });
        expiresAt = link.expiresAt();
    }

    ApprovalLink toApprovalLink() {
        Optional<ApprovalLink.ExternalIdentity> person = issuer == null || subject == null
                ? Optional.empty()
                : Optional.of(new ApprovalLink.ExternalIdentity(issuer, subject));
        return new ApprovalLink(
                id, tenant, approvalId, seal, new ApprovalLink.LinkCreator(maker, person), expiresAt, usedAt != null);
    }

    /**
     * Returns why the link is not valid for a vote of {@code by} on {@code approval}; empty if it is valid.
     *
     * @param now the database's time
     */
    Optional<VoteResult> findVoteRejection(UUID approval, String by, Instant now) {
        boolean meant = approvalId.equals(approval) && maker.equals(by);
        if (meant && usedAt != null) {
            return Optional.of(new VoteResult.VoteLinkUsed());
        }
        return meant && expiresAt.isAfter(now) ? Optional.empty() : Optional.of(new VoteResult.VoteLinkInvalid());
    }

    /** Whether the link was used for a vote of {@code by} on {@code approval}. */
    boolean isUsedFor(UUID approval, String by) {
        return usedAt != null && approvalId.equals(approval) && maker.equals(by);
    }
}
