package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One person's yes vote on an approval that needs several. The voter is stored in the encoding of {@link LosslessText},
 * which this package applies itself because JPA converts no id attribute.
 */
@Entity
@IdClass(ApprovalVoteEntity.ApprovalVotePrimaryKey.class)
@Table(name = "approval_vote")
@SuppressWarnings("NullAway.Init")
class ApprovalVoteEntity {
    @Id
    @Column(name = "approval_id")
    UUID approvalId;

    @Id
    @Column(name = "voter")
    String voter;

    @Column(name = "at", insertable = false, updatable = false)
    Instant at;

    protected ApprovalVoteEntity() {}

    ApprovalVoteEntity(UUID approval, String voter) {
        approvalId = approval;
        this.voter = LosslessText.encode(voter);
    }

    /** The primary key class that JPA requires. */
    static class ApprovalVotePrimaryKey {
        UUID approvalId;
        String voter;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ApprovalVotePrimaryKey key
                    && key.approvalId.equals(approvalId)
                    && key.voter.equals(voter);
        }

        @Override
        public int hashCode() {
            return approvalId.hashCode() * 31 + voter.hashCode();
        }
    }
}
