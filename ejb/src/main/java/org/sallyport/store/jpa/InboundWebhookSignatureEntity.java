package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A genuine signature, and the id of the delivery that had it first; {@code ""} if it had none. */
@Entity
@IdClass(InboundWebhookSignatureEntity.WebhookSignaturePrimaryKey.class)
@Table(name = "inbound_webhook_signature")
@SuppressWarnings("NullAway.Init")
class InboundWebhookSignatureEntity {
    @Id
    @Column(name = "webhook_id")
    UUID webhookId;

    @Id
    @Column(name = "signature_hash")
    String signatureHash;

    @Column(name = "delivery_id")
    String deliveryId;

    @Column(name = "expires_at")
    Instant expiresAt;

    protected InboundWebhookSignatureEntity() {}

    InboundWebhookSignatureEntity(UUID webhook, String signatureHash, String deliveryId, Instant expiresAt) {
        this.webhookId = webhook;
        this.signatureHash = signatureHash;
        this.deliveryId = deliveryId;
        this.expiresAt = expiresAt.truncatedTo(ChronoUnit.MICROS);
    }

    /** The primary key class that JPA requires. */
    static class WebhookSignaturePrimaryKey {
        UUID webhookId;
        String signatureHash;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof WebhookSignaturePrimaryKey key
                    && key.webhookId.equals(webhookId)
                    && key.signatureHash.equals(signatureHash);
        }

        @Override
        public int hashCode() {
            return webhookId.hashCode() * 31 + signatureHash.hashCode();
        }
    }
}
