package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An execution whose job the broker moved to the dead-letter queue. */
@Entity
@Table(name = "dead_letter")
@SuppressWarnings("NullAway.Init")
class DeadLetterEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    /**
     * The column of the execution, as {@link LosslessTextConverter} has encoded it. It has no converter here, because
     * an SQL statement copies it.
     */
    @Column(name = "tenant")
    String tenant;

    @Column(name = "at", insertable = false, updatable = false)
    Instant at;

    @Column(name = "replayed_as")
    @Nullable String replayedAs;
}
