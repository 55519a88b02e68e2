package org.sallyport.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.webhook.InboundWebhook.WebhookTarget;
import org.sallyport.webhook.InboundWebhook.WebhookUse;
import org.sallyport.webhook.InboundWebhookStore.WebhookAddResult;

/** Contract of {@link InboundWebhookStore}, for every implementation. Each test starts with an empty store. */
public abstract class InboundWebhookStoreContract {
    private static final int MAX_WEBHOOKS = 3;
    private static final Instant AT = Instant.parse("2026-10-25T00:30:00.5Z");

    protected abstract InboundWebhookStore store();

    private static InboundWebhook webhook(String tenant, int number, WebhookTarget target) {
        return new InboundWebhook(
                new UUID(7, number),
                tenant,
                "name\u0000 " + number,
                InboundWebhookToken.hash(tenant + number),
                target,
                Optional.empty(),
                "Idempotency-Key",
                "key-1",
                List.of("demo.*", "a.b"),
                true,
                AT,
                Optional.empty());
    }

    private static InboundWebhook event(String tenant, int number) {
        return webhook(tenant, number, new WebhookTarget.EventTarget("order\u0000"));
    }

    @Test
    void webhooksAreFoundByTheirTenantAndByTheHashOfTheirToken() {
        InboundWebhook first = webhook("t", 1, new WebhookTarget.CapabilityTarget("a.b", Optional.of("1.0.0")));
        InboundWebhook second = event("t", 2);
        InboundWebhook signed = new InboundWebhook(
                new UUID(7, 3),
                "u",
                second.name(),
                InboundWebhookToken.hash("3"),
                new WebhookTarget.CapabilityTarget("a.b", Optional.empty()),
                Optional.of(new WebhookSignature(WebhookSignature.SignatureScheme.BODY, "X-Signature", "hook-key")),
                "X-Delivery",
                "key-2",
                List.of(),
                false,
                AT,
                Optional.of(new WebhookUse(AT.plusSeconds(1), "started")));
        for (InboundWebhook each : List.of(second, first, signed)) {
            assertThat(store().add(each, MAX_WEBHOOKS)).isEqualTo(WebhookAddResult.ADDED);
        }
        assertThat(store().list("t")).containsExactly(first, second);
        assertThat(store().list("u")).containsExactly(signed);
        assertThat(store().find("t", first.id())).contains(first);
        assertThat(store().find("u", first.id())).isEmpty();
        assertThat(store().findByTokenHash(signed.tokenHash())).contains(signed);
        assertThat(store().findByTokenHash("other")).isEmpty();
    }

    @Test
    void namesAreUniqueAndTheNumberIsLimited() {
        store().add(event("t", 1), MAX_WEBHOOKS);
        InboundWebhook sameName = new InboundWebhook(
                new UUID(7, 9),
                "t",
                event("t", 1).name(),
                InboundWebhookToken.hash("9"),
                new WebhookTarget.EventTarget("e"),
                Optional.empty(),
                "Idempotency-Key",
                "key-1",
                List.of(),
                true,
                AT,
                Optional.empty());
        assertThat(store().add(sameName, MAX_WEBHOOKS)).isEqualTo(WebhookAddResult.NAME_TAKEN);
        store().add(event("t", 2), MAX_WEBHOOKS);
        store().add(event("t", 3), MAX_WEBHOOKS);
        assertThat(store().add(event("t", 4), MAX_WEBHOOKS)).isEqualTo(WebhookAddResult.TOO_MANY);
        assertThat(store().add(event("u", 5), MAX_WEBHOOKS)).isEqualTo(WebhookAddResult.ADDED);
    }

    @Test
    void concurrentAdditionsOfOneNameAddOne() throws Exception {
        List<WebhookAddResult> results = new ArrayList<>(ConcurrencyTestUtil.runConcurrently(8, n -> {
            InboundWebhook own = event("t", 1);
            return store().add(
                            new InboundWebhook(
                                    new UUID(8, n),
                                    "t",
                                    own.name(),
                                    InboundWebhookToken.hash("c" + n),
                                    own.target(),
                                    Optional.empty(),
                                    own.deliveryHeader(),
                                    own.owner(),
                                    own.grants(),
                                    true,
                                    AT,
                                    Optional.empty()),
                            100);
        }));
        assertThat(results).filteredOn(WebhookAddResult.ADDED::equals).hasSize(1);
        assertThat(store().list("t")).hasSize(1);
    }

    @Test
    void webhookIsDisabledEnabledAndRemovedByItsTenant() {
        InboundWebhook webhook = event("t", 1);
        store().add(webhook, MAX_WEBHOOKS);
        assertThat(store().setEnabled("u", webhook.id(), false)).isFalse();
        assertThat(store().setEnabled("t", webhook.id(), false)).isTrue();
        assertThat(store().find("t", webhook.id()).orElseThrow().enabled()).isFalse();
        assertThat(store().setEnabled("t", webhook.id(), true)).isTrue();
        assertThat(store().findByTokenHash(webhook.tokenHash())).contains(webhook);
        assertThat(store().remove("u", webhook.id())).isFalse();
        assertThat(store().remove("t", webhook.id())).isTrue();
        assertThat(store().remove("t", webhook.id())).isFalse();
        assertThat(store().findByTokenHash(webhook.tokenHash())).isEmpty();
    }

    private boolean bind(InboundWebhook webhook, String hash, String deliveryId, Instant now) {
        return store().bindSignature(webhook, hash, deliveryId, now, now.plusSeconds(600));
    }

    @Test
    void signatureIsBoundToTheDeliveryThatHasItFirst() {
        InboundWebhook webhook = event("t", 1);
        store().add(webhook, MAX_WEBHOOKS);
        InboundWebhook other = event("u", 2);
        store().add(other, MAX_WEBHOOKS);
        assertThat(bind(webhook, "a", "id-1", AT)).isTrue();
        assertThat(bind(webhook, "a", "id-1", AT)).isTrue();
        assertThat(bind(webhook, "a", "id-2", AT)).isFalse();
        assertThat(bind(webhook, "a", "", AT)).isFalse();
        assertThat(bind(webhook, "b", "", AT)).isTrue();
        assertThat(bind(other, "a", "id-2", AT)).isTrue();
        assertThat(bind(webhook, "c", "id-3", AT.plusSeconds(601))).isTrue();
        assertThat(bind(webhook, "a", "id-2", AT.plusSeconds(601)))
                .as("an expired signature is deleted")
                .isTrue();
        store().remove("t", webhook.id());
        assertThat(bind(webhook, "d", "id-4", AT)).isFalse();
    }

    @Test
    void concurrentDeliveriesWithOneSignatureAreOneDelivery() throws Exception {
        InboundWebhook webhook = event("t", 1);
        store().add(webhook, MAX_WEBHOOKS);
        List<Boolean> bound =
                new ArrayList<>(ConcurrencyTestUtil.runConcurrently(8, n -> bind(webhook, "a", "id-" + n, AT)));
        assertThat(bound).filteredOn(Boolean::booleanValue).hasSize(1);
    }

    @Test
    void lastUseIsRecordedUnlessTheSameResultIsRecent() {
        InboundWebhook webhook = event("t", 1);
        store().add(webhook, MAX_WEBHOOKS);
        WebhookUse first = new WebhookUse(AT.plusSeconds(10), "emitted");
        store().recordUse(webhook, first, AT);
        InboundWebhook used = store().find("t", webhook.id()).orElseThrow();
        assertThat(used.lastUse()).contains(first);
        store().recordUse(used, new WebhookUse(AT.plusSeconds(11), "emitted"), AT.plusSeconds(9));
        assertThat(store().find("t", webhook.id()).orElseThrow().lastUse()).contains(first);
        WebhookUse refused = new WebhookUse(AT.plusSeconds(12), "refused");
        store().recordUse(used, refused, AT.plusSeconds(9));
        assertThat(store().find("t", webhook.id()).orElseThrow().lastUse()).contains(refused);
        store().remove("t", webhook.id());
        store().recordUse(used, refused, AT.plusSeconds(20));
        assertThat(store().list("t")).isEmpty();
    }
}
