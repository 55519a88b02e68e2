package org.sallyport.webhook;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.webhook.InboundWebhook.WebhookUse;

/**
 * Stores inbound webhooks. Every method is one transaction, committed when it returns. Throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface InboundWebhookStore {
    /** Outcome of adding a webhook. */
    enum WebhookAddResult {
        ADDED,
        /** The tenant has a webhook of this name. */
        NAME_TAKEN,
        /** The tenant has the maximum number of webhooks. */
        TOO_MANY
    }

    /**
     * Adds a webhook.
     *
     * @param maxWebhooks maximum number of webhooks of the tenant; concurrent additions may exceed it
     */
    WebhookAddResult add(InboundWebhook webhook, int maxWebhooks);

    /** Returns the webhooks of the tenant, oldest first. */
    List<InboundWebhook> list(String tenant);

    /** Returns the webhook; empty when the tenant has no such webhook. */
    Optional<InboundWebhook> find(String tenant, UUID id);

    /** Returns the webhook of any tenant with that hash of its token. */
    Optional<InboundWebhook> findByTokenHash(String tokenHash);

    /** Enables or disables a webhook. Returns whether the tenant has it. */
    boolean setEnabled(String tenant, UUID id, boolean enabled);

    /** Removes a webhook. Returns whether the tenant had it. */
    boolean remove(String tenant, UUID id);

    /**
     * Binds a genuine signature to the delivery that has it first. A repetition of that delivery is accepted, another
     * delivery is not. Deletes the webhook's signatures that have expired.
     *
     * @param signatureHash at most 64 characters
     * @param deliveryId at most 200 characters; {@code ""} if the delivery has no id
     * @param expiresAt when the signature is no longer genuine
     * @return whether the signature is bound to that delivery; false also if the webhook was removed
     */
    boolean bindSignature(
            InboundWebhook webhook, String signatureHash, String deliveryId, Instant now, Instant expiresAt);

    /** Records a delivery. Skips it if the same result was recorded after {@code recordedAfter}. */
    void recordUse(InboundWebhook webhook, WebhookUse use, Instant recordedAfter);
}
