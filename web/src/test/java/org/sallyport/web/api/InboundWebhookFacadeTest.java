package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.api.InboundWebhookFacade.IssuedWebhook;
import org.sallyport.webhook.InboundWebhookStore;
import org.sallyport.webhook.InboundWebhookStore.WebhookAddResult;
import org.sallyport.webhook.InboundWebhookToken;

class InboundWebhookFacadeTest {
    private static final Instant NOW = Instant.parse("2026-10-25T00:30:00.123456Z");

    private WebhookAddResult result = WebhookAddResult.ADDED;
    private final InboundWebhookFacade facade =
            new InboundWebhookFacade(InstantSource.fixed(NOW.plusNanos(789)), new SecureRandom());

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject them
    InboundWebhookFacadeTest() {
        facade.configuration = Configuration.read(Map.of(), Map.of());
        facade.store = (InboundWebhookStore) Proxy.newProxyInstance(
                InboundWebhookStore.class.getClassLoader(),
                new Class<?>[] {InboundWebhookStore.class},
                (proxy, called, given) -> {
                    assertThat(called.getName()).isEqualTo("add");
                    return result;
                });
    }

    private IssuedWebhook create(Role role) {
        ObjectNode body = ExecutionMapper.object().put("name", "orders").put("event", "e");
        return facade.create(new Caller("key", "t", Set.of(Role.OPERATOR, role)), new JsonMembers(body));
    }

    private void assertRefused(Role role, ProblemType type) {
        assertThatThrownBy(() -> create(role))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().type()).isEqualTo(type));
    }

    @Test
    void createdWebhookHasTheHashOfTheTokenThatIsShownOnce() {
        IssuedWebhook issued = create(Role.SUBMITTER);
        assertThat(issued.webhook().tokenHash()).isEqualTo(InboundWebhookToken.hash(issued.token()));
        assertThat(issued.webhook().createdAt()).isEqualTo(NOW);
        assertThat(issued.webhook().owner()).isEqualTo("key");
    }

    @Test
    void callerThatMayNotSubmitCreatesNoWebhook() {
        assertRefused(Role.AUDITOR, ProblemType.FORBIDDEN);
    }

    @Test
    void refusalOfTheStoreIsAProblem() {
        result = WebhookAddResult.NAME_TAKEN;
        assertRefused(Role.SUBMITTER, ProblemType.WEBHOOK_EXISTS);
        result = WebhookAddResult.TOO_MANY;
        assertRefused(Role.SUBMITTER, ProblemType.TOO_MANY_WEBHOOKS);
    }
}
