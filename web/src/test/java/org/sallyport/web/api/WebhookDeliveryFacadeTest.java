package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.Caller;
import org.sallyport.auth.KeyUseStore;
import org.sallyport.auth.KeyUseTracker;
import org.sallyport.auth.Role;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.event.ExternalEmitResult;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.redaction.Redactor;
import org.sallyport.submission.CapabilityPreparer;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.VariablePinner;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.ProblemException;
import org.sallyport.web.api.WebhookDeliveryFacade.AcceptingWebhook;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.webhook.InboundWebhook;
import org.sallyport.webhook.InboundWebhook.WebhookUse;
import org.sallyport.webhook.InboundWebhookStore;

class WebhookDeliveryFacadeTest {
    private static final String SECRET = "hunter2x4711";

    private static final Instant EXPIRY = Instant.EPOCH.plusSeconds(60);
    private static final InboundWebhook WEBHOOK = webhook(new InboundWebhook.WebhookTarget.EventTarget("e"));

    private long nanos;
    private Instant now = Instant.EPOCH;
    private Set<Role> rolesOfOwner = Set.of(Role.SUBMITTER);
    private final RecordingWebhookStore store = new RecordingWebhookStore();
    private final RecordingKeyUseStore keyUses = new RecordingKeyUseStore();
    private final WebhookDeliveryFacade facade =
            new WebhookDeliveryFacade(InstantSource.fixed(Instant.EPOCH), () -> nanos);

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject them
    WebhookDeliveryFacadeTest() {
        facade.store = store;
        ApiKeyStore stored = (ApiKeyStore) Proxy.newProxyInstance(
                ApiKeyStore.class.getClassLoader(), new Class<?>[] {ApiKeyStore.class}, (proxy, called, given) -> {
                    assertThat(called.getName()).isEqualTo("find");
                    return Optional.of(new ApiKey("owner", "t", "name", "hash", rolesOfOwner, Optional.of(EXPIRY)));
                });
        facade.keys = new ApiKeyService(stored, () -> now, new SecureRandom());
        facade.keyUses = new KeyUseTracker(keyUses, InstantSource.fixed(Instant.EPOCH));
        facade.redactions = RedactionProvider.secretsOnly(tenant -> new Redactor(List.of(SECRET)));
    }

    private static InboundWebhook webhook(InboundWebhook.WebhookTarget target) {
        return new InboundWebhook(
                new UUID(7, 1),
                "t",
                "name",
                "hash",
                target,
                Optional.empty(),
                "Idempotency-Key",
                "owner",
                List.of(),
                true,
                Instant.EPOCH,
                Optional.empty());
    }

    /** Sends a body that is not JSON. */
    private void deliverInvalidBody() {
        AcceptingWebhook accepting = new AcceptingWebhook(WEBHOOK, new Caller("owner", "t", Set.of(Role.SUBMITTER)));
        byte[] body = SECRET.getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> facade.deliver(facade.verify(accepting, body, null, Optional.empty())))
                .isInstanceOf(ProblemException.class)
                .hasMessageNotContaining(SECRET);
    }

    @Test
    void storedReasonContainsNoSecret() {
        deliverInvalidBody();
        assertThat(store.uses)
                .singleElement()
                .satisfies(use -> assertThat(use.result())
                        .startsWith("refused: ")
                        .contains("[redacted]")
                        .doesNotContain(SECRET));
    }

    @Test
    void rowsOfRefusedDeliveriesAreLimited() {
        for (int i = 0; i < 100; i++) {
            deliverInvalidBody();
        }
        assertThat(store.uses).as("a burst of two seconds").hasSize(2);
        nanos += Duration.ofSeconds(1).toNanos();
        deliverInvalidBody();
        deliverInvalidBody();
        assertThat(store.uses).hasSize(3);
    }

    @Test
    void webhookAcceptsDeliveriesAsLongAsTheKeyOfItsCreatorMaySubmit() {
        String token = "x".repeat(43);
        assertThat(facade.findAccepting(token)).isPresent();
        assertThat(facade.findAccepting("x")).isEmpty();
        rolesOfOwner = Set.of(Role.OPERATOR);
        assertThat(facade.findAccepting(token)).isEmpty();
        rolesOfOwner = Set.of(Role.ADMIN);
        assertThat(facade.findAccepting(token)).isPresent();
        now = EXPIRY;
        assertThat(facade.findAccepting(token)).isEmpty();
        assertThat(store.uses)
                .hasSize(2)
                .allSatisfy(use -> assertThat(use.result()).startsWith("refused: the key of its creator"));
    }

    @Test
    void deliveryIsAUseOfTheKeyOfTheCreator() {
        deliverInvalidBody();
        facade.keyUses.flush();
        assertThat(keyUses.stored).containsOnlyKeys("owner");
    }

    /** Records the requests to store events. */
    private static final class RecordingEventFacade extends EventFacade {
        private final List<IdempotencyKey> keys = new ArrayList<>();

        @Override
        void throttle(String tenant) {}

        @Override
        ExternalEmitResult.ExternalEventStored store(
                Caller caller, ObjectNode body, Optional<IdempotencyKey> idempotency) {
            keys.add(idempotency.orElseThrow());
            return new ExternalEmitResult.ExternalEventStored(keys.size(), "e", false, false);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"a":1,"b":"x"} | {"b": "x", "a": 1.0} | true
            {"a":1}         | {"a":10e-1}          | true
            ``              | null                 | true
            {"a":1}         | {"a":2}              | false
            ``              | {}                   | false
            """)
    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    void repeatedDeliveryIsRecognizedByTheValueOfItsBody(String first, String second, boolean same) {
        RecordingEventFacade events = new RecordingEventFacade();
        facade.events = events;
        AcceptingWebhook accepting = new AcceptingWebhook(WEBHOOK, new Caller("owner", "t", Set.of(Role.SUBMITTER)));
        for (String body : List.of(first, second)) {
            facade.deliver(
                    facade.verify(accepting, body.getBytes(StandardCharsets.UTF_8), null, Optional.of("delivery-7")));
        }

        assertThat(events.keys).hasSize(2);
        assertThat(events.keys.get(0).equals(events.keys.get(1))).isEqualTo(same);
    }

    /** Returns a service that finds one capability, at each name, and waits for the check of its script. */
    @SuppressWarnings("NullAway") // the capability has no schemas
    private static CapabilityRunService capabilities(PendingScriptCheck check) {
        CapabilityDefinition definition = new CapabilityDefinition(
                ScriptLanguage.JAVASCRIPT,
                "return 1",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                List.of(),
                List.of());
        SemanticVersion version = SemanticVersion.parse("1.0.0").orElseThrow();
        Capability capability = new Capability(
                "fees",
                version,
                definition,
                definition.hash("fees", version),
                Map.of(),
                "owner",
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty());
        return new CapabilityRunService(
                fake(CapabilityStore.class, Optional.of(capability)),
                null,
                check.newService(),
                new CapabilityPreparer(
                        CapabilitySandboxPolicy.WORKERS_ONLY,
                        RequiredToolCheck.NONE,
                        fake(VariablePinner.class, new PinResult.VariablesPinned(Optional.empty()))));
    }

    private static <T> T fake(Class<T> type, Object result) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, called, given) -> result));
    }

    @Test
    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject them
    void memoryOfADeliveryIsHeldUntilItsExecutionIsStored() {
        MemoryBudgets budgets = new MemoryBudgets(0, 0);
        PendingScriptCheck check = new PendingScriptCheck();
        facade.memory = new RequestMemory(budgets);
        facade.capabilities = capabilities(check);
        AcceptingWebhook accepting = new AcceptingWebhook(
                webhook(new InboundWebhook.WebhookTarget.CapabilityTarget("fees", Optional.of("1.0.0"))),
                new Caller("owner", "t", Set.of(Role.SUBMITTER)));
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        Runnable endOfThread = facade.memory.begin(new FakeHttpExchange("POST", "/").request());
        facade.memory.reserve(1_000);

        Thread.currentThread().interrupt(); // ends the wait for the execution
        Throwable thrown = catchThrowable(() -> facade.deliver(facade.verify(accepting, body, null, Optional.empty())));
        assertThat(Thread.interrupted()).isTrue();
        endOfThread.run();

        assertThat(thrown)
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("unknown whether the delivery was accepted");
        assertThat(budgets.bodies().usedBytes()).isEqualTo(1_000);
        check.fail();
        assertThat(budgets.bodies().usedBytes()).isZero();
    }

    private static final class RecordingKeyUseStore implements KeyUseStore {
        private final Map<String, Instant> stored = new HashMap<>();

        @Override
        public void recordUses(Map<String, Instant> uses) {
            stored.putAll(uses);
        }

        @Override
        public Map<String, Instant> lastUsedByKey(String tenant) {
            return Map.copyOf(stored);
        }
    }

    private static final class RecordingWebhookStore implements InboundWebhookStore {
        private final List<WebhookUse> uses = new ArrayList<>();

        @Override
        public void recordUse(InboundWebhook webhook, WebhookUse use, Instant recordedAfter) {
            uses.add(use);
        }

        @Override
        public boolean bindSignature(
                InboundWebhook webhook, String signatureHash, String deliveryId, Instant now, Instant expiresAt) {
            throw new UnsupportedOperationException();
        }

        @Override
        public WebhookAddResult add(InboundWebhook webhook, int maxWebhooks) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<InboundWebhook> list(String tenant) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<InboundWebhook> find(String tenant, UUID id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<InboundWebhook> findByTokenHash(String tokenHash) {
            return Optional.of(WEBHOOK);
        }

        @Override
        public boolean setEnabled(String tenant, UUID id, boolean enabled) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean remove(String tenant, UUID id) {
            throw new UnsupportedOperationException();
        }
    }
}
