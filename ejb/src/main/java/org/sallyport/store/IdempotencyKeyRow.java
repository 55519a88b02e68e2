package org.sallyport.store;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.NewExecution;

/** The execution, or the batch, a client's key stands for. JPA converts no id attribute, so the texts here are encoded by hand. */
@Entity
@IdClass(IdempotencyKeyRow.Key.class)
@Table(name = "idempotency_key")
@SuppressWarnings("NullAway.Init")
class IdempotencyKeyRow {
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

    protected IdempotencyKeyRow() {}

    IdempotencyKeyRow(NewExecution execution, NewExecution.Idempotency idempotency) {
        this(execution.tenant(), idempotency, execution.id().value());
    }

    /** @param id the execution, or the batch */
    IdempotencyKeyRow(String owner, NewExecution.Idempotency idempotency, UUID id) {
        tenant = LosslessText.encode(owner);
        clientKey = LosslessText.encode(idempotency.key());
        bodyHash = idempotency.bodyHash();
        executionId = id;
    }

    Key key() {
        Key key = new Key();
        key.tenant = tenant;
        key.clientKey = clientKey;
        return key;
    }

    /** Primary key, as JPA wants it. */
    static class Key {
        String tenant;
        String clientKey;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && key.tenant.equals(tenant) && key.clientKey.equals(clientKey);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode() * 31 + clientKey.hashCode();
        }
    }
}
