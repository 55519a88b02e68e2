package org.sallyport.web.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.RequestRateLimiter;
import org.sallyport.webhook.InboundWebhook;
import org.sallyport.webhook.WebhookSignature;

class WebhookDeliveryLimiterTest {
    private static final String SENDER = "192.0.2.1";
    private static final int BURST = 4;

    private final WebhookDeliveryLimiter limiter =
            new WebhookDeliveryLimiter(BURST / 2, new RequestRateLimiter(5, () -> 0), () -> 0);

    private static InboundWebhook webhook(int number, boolean signed) {
        return new InboundWebhook(
                new UUID(7, number),
                "t",
                "name " + number,
                "hash " + number,
                new InboundWebhook.WebhookTarget.EventTarget("e"),
                signed
                        ? Optional.of(new WebhookSignature(WebhookSignature.SignatureScheme.BODY, "X-Signature", "key"))
                        : Optional.empty(),
                "Idempotency-Key",
                "owner",
                List.of(),
                true,
                Instant.EPOCH,
                Optional.empty());
    }

    private static int countUntilPause(Supplier<Optional<Duration>> request) {
        int accepted = 0;
        while (accepted < 1_000 && request.get().isEmpty()) {
            accepted++;
        }
        return accepted;
    }

    private static List<Runnable> acquireAll(Supplier<Runnable> acquire) {
        List<Runnable> releases = new ArrayList<>();
        assertThatThrownBy(() -> {
                    while (releases.size() < 1_000) {
                        releases.add(acquire.get());
                    }
                })
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().type()).isEqualTo(ProblemType.RATE_LIMITED));
        return releases;
    }

    @Test
    void unverifiedSendersDoNotUseUpTheRateOfAWebhookWithSignatures() {
        InboundWebhook signed = webhook(1, true);
        assertThat(countUntilPause(() -> limiter.throttleRequest(signed, SENDER)))
                .isEqualTo(BURST * WebhookDeliveryLimiter.UNVERIFIED_FACTOR);
        assertThat(limiter.throttleRequest(signed, "192.0.2.2")).isEmpty();
        assertThat(countUntilPause(() -> limiter.throttleDelivery(signed))).isEqualTo(BURST);
    }

    @Test
    void webhookWithoutSignaturesIsThrottledBeforeItsBody() {
        InboundWebhook unsigned = webhook(1, false);
        assertThat(countUntilPause(() -> limiter.throttleRequest(unsigned, SENDER)))
                .isEqualTo(BURST);
        assertThat(limiter.throttleRequest(unsigned, "192.0.2.2")).isPresent();
        assertThat(limiter.throttleRequest(webhook(2, false), SENDER)).isEmpty();
    }

    @Test
    void deliveriesToAllWebhooksOfAKeyCountAsItsRequests() {
        int accepted = 0;
        for (int number = 1; number <= 5; number++) {
            InboundWebhook each = webhook(number, true);
            accepted += countUntilPause(() -> limiter.throttleDelivery(each));
        }
        assertThat(accepted).isEqualTo(10);
    }

    @Test
    void oneTenantLeavesDeliveriesToOthers() {
        List<Runnable> releases = acquireAll(() -> limiter.acquire("t"));
        assertThat(releases).hasSize(WebhookDeliveryLimiter.MAX_CONCURRENT_OF_TENANT);
        limiter.acquire("u").run();
        limiter.acquireLookup(SENDER).run();
        releases.forEach(Runnable::run);
        limiter.acquire("t").run();
    }

    @Test
    void lookupsAreLimitedForEachNetworkAndForAllTogether() {
        List<Runnable> releases = acquireAll(() -> limiter.acquireLookup(SENDER));
        assertThat(releases).hasSize(WebhookDeliveryLimiter.MAX_CONCURRENT_LOOKUPS_OF_NETWORK);
        int[] host = {0};
        releases.addAll(acquireAll(() -> limiter.acquireLookup("198.51.100." + host[0]++)));
        assertThat(releases).hasSize(WebhookDeliveryLimiter.MAX_CONCURRENT_LOOKUPS);
        releases.forEach(Runnable::run);
        limiter.acquireLookup(SENDER).run();
    }
}
