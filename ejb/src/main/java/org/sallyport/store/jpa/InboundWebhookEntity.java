package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;
import org.sallyport.webhook.InboundWebhook;
import org.sallyport.webhook.InboundWebhook.WebhookTarget;
import org.sallyport.webhook.InboundWebhook.WebhookUse;
import org.sallyport.webhook.WebhookSignature;

/** An inbound webhook. */
@Entity
@Table(name = "inbound_webhook")
@SuppressWarnings("NullAway.Init")
class InboundWebhookEntity {
    @Id
    @Column(name = "id")
    UUID id;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "name")
    @Convert(converter = LosslessTextConverter.class)
    String name;

    @Column(name = "token_hash")
    String tokenHash;

    @Column(name = "capability")
    @Nullable String capability;

    @Column(name = "version")
    @Nullable String version;

    @Column(name = "event_name")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String eventName;

    @Column(name = "signature_scheme")
    @Nullable String signatureScheme;

    @Column(name = "signature_header")
    @Nullable String signatureHeader;

    @Column(name = "secret")
    @Nullable String secret;

    @Column(name = "delivery_header")
    String deliveryHeader;

    @Column(name = "owner")
    @Convert(converter = LosslessTextConverter.class)
    String owner;

    @Column(name = "grants")
    @Convert(converter = JsonConverter.class)
    Json grants;

    @Column(name = "enabled")
    boolean enabled;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "last_used_at")
    @Nullable Instant lastUsedAt;

    @Column(name = "last_result")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String lastResult;

    protected InboundWebhookEntity() {}

    InboundWebhookEntity(InboundWebhook webhook) {
        id = webhook.id();
        tenant = webhook.tenant();
        name = webhook.name();
        tokenHash = webhook.tokenHash();
        if (webhook.target() instanceof WebhookTarget.CapabilityTarget target) {
            capability = target.capability();
            version = target.version().orElse(null);
        } else if (webhook.target() instanceof WebhookTarget.EventTarget target) {
            eventName = target.event();
        }
        webhook.signature().ifPresent(signature -> {
            signatureScheme = signature.scheme().name();
            signatureHeader = signature.header();
            secret = signature.secret();
        });
        deliveryHeader = webhook.deliveryHeader();
        owner = webhook.owner();
        grants = JsonColumnCodec.ofList(webhook.grants());
        enabled = webhook.enabled();
        createdAt = webhook.createdAt().truncatedTo(ChronoUnit.MICROS);
        webhook.lastUse().ifPresent(this::setLastUse);
    }

    final void setLastUse(WebhookUse use) {
        lastUsedAt = use.at().truncatedTo(ChronoUnit.MICROS);
        lastResult = use.result();
    }

    InboundWebhook toInboundWebhook() {
        return new InboundWebhook(
                id,
                tenant,
                name,
                tokenHash,
                capability == null
                        ? new WebhookTarget.EventTarget(Objects.requireNonNullElse(eventName, ""))
                        : new WebhookTarget.CapabilityTarget(capability, Optional.ofNullable(version)),
                signatureScheme == null || signatureHeader == null || secret == null
                        ? Optional.empty()
                        : Optional.of(new WebhookSignature(
                                WebhookSignature.SignatureScheme.valueOf(signatureScheme), signatureHeader, secret)),
                deliveryHeader,
                owner,
                JsonColumnCodec.parseList(grants),
                enabled,
                createdAt,
                lastUsedAt == null
                        ? Optional.empty()
                        : Optional.of(new WebhookUse(lastUsedAt, Objects.requireNonNullElse(lastResult, ""))));
    }
}
