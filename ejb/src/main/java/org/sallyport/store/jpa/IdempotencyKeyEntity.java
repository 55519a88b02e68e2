package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.NewExecution;

/**
 * Maps a client's idempotency key to its execution or batch. Text ids are stored in the encoding of {@link
 * LosslessText}, which this class applies itself because JPA converts no id attribute.
 */
@Entity
@IdClass(IdempotencyKeyEntity.IdempotencyPrimaryKey.class)
@Table(name = "idempotency_key")
@SuppressWarnings("NullAway.Init")
class IdempotencyKeyEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "client_key")
    String clientKey;

    @Column(name = "body_hash")
    String bodyHash;

    @Column(name = "execution_id")
    UUID executionId;

    @Column(name = "created_at", insertable = false, updatable = false)
    @Nullable Instant createdAt;

    protected IdempotencyKeyEntity() {}

    IdempotencyKeyEntity(NewExecution execution, NewExecution.IdempotencyKey idempotency) {
        this(execution.tenant(), idempotency, execution.id().value());
    }

    /** @param id id of the execution or batch */
    IdempotencyKeyEntity(String owner, NewExecution.IdempotencyKey idempotency, UUID id) {
        tenant = LosslessText.encode(owner);
        clientKey = LosslessText.encode(idempotency.key());
        bodyHash = idempotency.bodyHash();
        executionId = id;
    }

    IdempotencyPrimaryKey primaryKey() {
        IdempotencyPrimaryKey key = new IdempotencyPrimaryKey();
        key.tenant = tenant;
        key.clientKey = clientKey;
        return key;
    }

    /** The primary key class that JPA requires. */
    static class IdempotencyPrimaryKey {
        String tenant;
        String clientKey;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof IdempotencyPrimaryKey key
                    && key.tenant.equals(tenant)
                    && key.clientKey.equals(clientKey);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode() * 31 + clientKey.hashCode();
        }
    }
}
