package org.sallyport.webhook;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * An address with which a system without an API key starts a capability or emits an event. It never holds the token.
 *
 * @param id a UUID version 7, which sorts by time
 * @param name name for people, unique in the tenant
 * @param tokenHash SHA-256 of the token, hexadecimal; see {@link InboundWebhookToken}
 * @param target what a delivery does
 * @param signature how a delivery proves that it is genuine; empty if the token alone does
 * @param deliveryHeader name of the request header with the id of a delivery, against double delivery
 * @param owner id of the API key that created it, in whose name it acts
 * @param grants globs of the tools that its executions may call, of those that the key of the owner has
 * @param enabled whether it accepts deliveries
 * @param lastUse the last delivery that was handled; empty if there was none
 */
public record InboundWebhook(
        UUID id,
        String tenant,
        String name,
        String tokenHash,
        WebhookTarget target,
        Optional<WebhookSignature> signature,
        String deliveryHeader,
        String owner,
        List<String> grants,
        boolean enabled,
        Instant createdAt,
        Optional<WebhookUse> lastUse) {
    public InboundWebhook {
        grants = List.copyOf(grants);
    }

    /** What a delivery does with its body. */
    public sealed interface WebhookTarget {
        /**
         * Runs a capability with the body as its arguments.
         *
         * @param version a version, {@code latest} or {@code stable}; {@code stable} when empty
         */
        record CapabilityTarget(String capability, Optional<String> version) implements WebhookTarget {}

        /** Emits an event with the body as its payload. */
        record EventTarget(String event) implements WebhookTarget {}
    }

    /**
     * A handled delivery.
     *
     * @param at when it was handled
     * @param result what happened, for people
     */
    public record WebhookUse(Instant at, String result) {}
}
