package org.sallyport.web.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.ProblemException;
import org.sallyport.web.api.OutcomeProblems;
import org.sallyport.web.api.StrictJsonReader;
import org.sallyport.web.api.WebhookDeliveryFacade;
import org.sallyport.web.async.BodyReadLimiter;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.audit.InMemoryAuditStore;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.FailedLoginLimiter;
import org.sallyport.web.security.RequestRateLimiter;
import org.sallyport.webhook.InboundWebhook;

class InboundWebhookServletTest {
    private static final String TOKEN = "x".repeat(43);

    private final FakeDeliveries deliveries = new FakeDeliveries();
    private final InboundWebhookServlet servlet = new InboundWebhookServlet();
    private final FakeHttpExchange exchange =
            new FakeHttpExchange("POST", "/hooks/" + TOKEN).body("application/json", "1");

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject them
    InboundWebhookServletTest() {
        servlet.deliveries = deliveries;
        servlet.configuration = Configuration.read(Map.of(), Map.of());
        servlet.json = new StrictJsonReader(servlet.configuration, new RequestMemory(new MemoryBudgets(1 << 30, 50)));
        servlet.auditRecorder = new InMemoryAuditStore().recorder();
        servlet.loginLimiter = new FailedLoginLimiter();
        servlet.keyLimiter = new RequestRateLimiter(0, System::nanoTime);
        servlet.start();
    }

    private int deliver() throws IOException {
        servlet.service(exchange.request(), exchange.response());
        return exchange.status();
    }

    @Test
    void deliveryIsRefusedIfTheWebhookIsDisabledWhileItsBodyArrives() throws IOException {
        exchange.whenBodyIsRead(() -> deliveries.accepting = false);
        assertThat(deliver()).isEqualTo(404);
        assertThat(deliveries.verified).isZero();
    }

    @Test
    void bodyCountsAsOneOfTheWebhookAndNotOfItsOwner() throws IOException {
        exchange.whenBodyIsRead(() -> {
            assertThat(exchange.attribute(BodyReadLimiter.WEBHOOK))
                    .contains(deliveries.webhook.id().toString());
            assertThat(exchange.attribute(AuthenticationFilter.CALLER)).isEmpty();
        });
        deliver();
        assertThat(deliveries.verified).isEqualTo(1);
    }

    @Test
    void answerOfAnUnexpectedFailureDoesNotContainTheToken() throws IOException {
        assertThat(deliver()).isEqualTo(500);
        assertThat(exchange.text()).contains("incident").doesNotContain(TOKEN);
    }

    @Test
    void senderIsNotAskedToRepeatADeliveryThatMayHaveHadItsEffect() throws IOException {
        deliveries.failure = new ProblemException(OutcomeProblems.unknown("unknown"));
        assertThat(deliver()).isEqualTo(503);
        assertThat(exchange.header("Retry-After")).isEmpty();
    }

    @Test
    void senderIsAskedToRepeatADeliveryThatWasNotAccepted() throws IOException {
        deliveries.failure = new StoreUnavailableException("away", new IllegalStateException());
        assertThat(deliver()).isEqualTo(503);
        assertThat(exchange.header("Retry-After")).contains("2");
    }

    /** Has one webhook. The verification of deliveries fails. */
    private static final class FakeDeliveries extends WebhookDeliveryFacade {
        private final InboundWebhook webhook = new InboundWebhook(
                new UUID(7, 1),
                "t",
                "name",
                "hash",
                new InboundWebhook.WebhookTarget.EventTarget("e"),
                Optional.empty(),
                "Idempotency-Key",
                "owner",
                List.of(),
                true,
                Instant.EPOCH,
                Optional.empty());
        private RuntimeException failure = new IllegalStateException("unexpected");
        private boolean accepting = true;
        private int verified;

        @Override
        public Optional<AcceptingWebhook> findAccepting(String token) {
            return accepting && token.equals(TOKEN)
                    ? Optional.of(new AcceptingWebhook(webhook, new Caller("owner", "t", Set.of(Role.SUBMITTER))))
                    : Optional.empty();
        }

        @Override
        public WebhookDelivery verify(
                AcceptingWebhook found, byte[] body, @Nullable String signature, Optional<String> deliveryId) {
            verified++;
            throw failure;
        }
    }
}
