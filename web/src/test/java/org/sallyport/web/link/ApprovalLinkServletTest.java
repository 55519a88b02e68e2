package org.sallyport.web.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalLinkToken;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.BlockedSubjectStore;
import org.sallyport.auth.Caller;
import org.sallyport.auth.CallerRevalidator;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.runner.ApprovalLinkService;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.api.ApprovalFacade;
import org.sallyport.web.audit.InMemoryAuditStore;
import org.sallyport.web.openapi.ApiDescription;
import org.sallyport.web.security.FailedLoginLimiter;
import org.sallyport.web.security.RequestRateLimiter;

class ApprovalLinkServletTest {
    private static final String TENANT = "acme";
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MILLIS);

    private final ApiKeyService keys = new ApiKeyService(new LinkTestApiKeyStore(), () -> NOW, new SecureRandom());
    private final String maker = keys.issue(TENANT, "anna", Set.of(Role.APPROVER), Optional.empty())
            .key()
            .id();
    private final Map<UUID, Approval> approvals = new HashMap<>();
    private final FakeApprovalLinkStore stored = new FakeApprovalLinkStore();
    private final FakeApprovalFacade facade = new FakeApprovalFacade();
    private final ApprovalLinkServlet servlet = new ApprovalLinkServlet();

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    ApprovalLinkServletTest() {
        BlockedSubjectStore nobody = stub(BlockedSubjectStore.class, Map.of("contains", given -> false));
        servlet.links = new ApprovalLinkService(
                stub(ApprovalStore.class, Map.of("find", given -> Optional.ofNullable(approvals.get((UUID) given[1])))),
                stored,
                (asked, caller) -> false,
                keys,
                new CallerRevalidator(
                        keys, new BlockedSubjectCache(nobody, UUID::randomUUID, () -> NOW, Duration.ZERO), () -> NOW),
                (name, end) -> Optional.empty(),
                UUID::randomUUID,
                new SecureRandom(),
                () -> NOW);
        servlet.facade = facade;
        servlet.auditRecorder = new InMemoryAuditStore().recorder();
        servlet.loginLimiter = new FailedLoginLimiter();
        servlet.rateLimiter = new RequestRateLimiter(
                Configuration.read(Map.of("sallyport.limits.requests-per-second", "1"), Map.of()));
    }

    /** Implements one method of a stubbed store. */
    @FunctionalInterface
    private interface StubbedMethod {
        Object invoke(Object[] arguments);
    }

    private static <T> T stub(Class<T> type, Map<String, StubbedMethod> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, called, given) -> {
                    StubbedMethod answer = answers.get(called.getName());
                    if (answer == null) {
                        throw new UnsupportedOperationException(called.toString());
                    }
                    return answer.invoke(given == null ? new Object[0] : given);
                }));
    }

    private Approval pendingApproval(ApprovalKind kind) {
        ApprovalRequest question = new ApprovalRequest(
                new ExecutionId(UUID.randomUUID()),
                1,
                kind,
                0,
                new ToolName("mail", "send"),
                Json.EMPTY_OBJECT,
                "mail",
                new ApprovalTerms(1, Duration.ofDays(1), ApprovalTerms.ExpiryAction.DENY, ""));
        Approval approval = new Approval(
                UUID.randomUUID(),
                question,
                question.hash(),
                "requester",
                ApprovalState.PENDING,
                NOW,
                NOW.plus(Duration.ofDays(1)),
                List.of(),
                Optional.empty(),
                Approval.ReminderStatus.NONE);
        approvals.put(approval.id(), approval);
        return approval;
    }

    /** Stores a link and returns its token, whether or not the service would create such a link. */
    private String storeLink(Approval approval, Duration validity, boolean used) {
        ApprovalLinkToken token = ApprovalLinkToken.of(UUID.randomUUID(), new byte[ApprovalLinkToken.SECRET_BYTES]);
        ApprovalLink unsealed = new ApprovalLink(
                token.link(),
                TENANT,
                approval.id(),
                "",
                new ApprovalLink.LinkCreator(maker, Optional.empty()),
                NOW.plus(validity),
                used);
        stored.links.add(new ApprovalLink(
                unsealed.id(),
                TENANT,
                approval.id(),
                token.digest(unsealed, approval.hash()),
                unsealed.creator(),
                unsealed.expiresAt(),
                used));
        return token.encode();
    }

    private FakeHttpExchange ask(String body) throws IOException {
        FakeHttpExchange exchange =
                new FakeHttpExchange("POST", ApprovalLinkServlet.PATH).body("application/json", body);
        servlet.service(exchange.request(), exchange.response());
        return exchange;
    }

    private FakeHttpExchange open(String token) throws IOException {
        return ask("{\"token\":\"" + token + "\"}");
    }

    private FakeHttpExchange approve(String token) throws IOException {
        return ask("{\"token\":\"" + token + "\",\"decision\":\"approve\"}");
    }

    private static JsonNode json(FakeHttpExchange exchange) {
        return ApiDescription.parse(exchange.body());
    }

    /** Opens the link until the servlet answers 429. Returns the type of the problem before that. */
    private String exhaust(String token) throws IOException {
        String before = "";
        FakeHttpExchange last = open(token);
        for (int i = 0; last.status() != 429 && i < 100; i++) {
            before = json(last).path("type").asText();
            last = open(token);
        }
        assertThat(last.status()).isEqualTo(429);
        assertThat(last.header("Retry-After")).isPresent();
        return before;
    }

    @Test
    void overusedLinkAffectsNeitherItsCreatorNorOtherLinks() throws IOException {
        Approval asked = pendingApproval(ApprovalKind.CALL);
        String leaked = storeLink(asked, Duration.ofHours(1), false);
        exhaust(leaked);
        assertThat(servlet.rateLimiter.throttle(maker)).isEmpty();
        assertThat(open(storeLink(asked, Duration.ofHours(1), false)).status()).isEqualTo(200);
    }

    @Test
    void endedLinkIsRateLimitedToo() throws IOException {
        Approval asked = pendingApproval(ApprovalKind.CALL);
        assertThat(exhaust(storeLink(asked, Duration.ofHours(1), true))).endsWith("link-used");
        assertThat(exhaust(storeLink(asked, Duration.ofHours(-1), false))).endsWith("link-over");
    }

    @Test
    void linkCannotDecideTheOutcomeOfACall() throws IOException {
        FakeHttpExchange refused =
                approve(storeLink(pendingApproval(ApprovalKind.OUTCOME), Duration.ofHours(1), false));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(json(refused).path("detail").asText()).contains("the result of a call");
        assertThat(facade.votes).isZero();
    }

    @Test
    void voteThatIsNotStoredIsNotReportedAsUnknown() throws IOException {
        facade.down = true;
        FakeHttpExchange refused = approve(storeLink(pendingApproval(ApprovalKind.CALL), Duration.ofHours(1), false));
        assertThat(refused.status()).isEqualTo(503);
        assertThat(json(refused).path("detail").asText()).contains("nothing was changed");
        assertThat(json(refused).has("outcome")).isFalse();
    }

    @Test
    void unansweredVoteIsReportedAsUnknown() throws IOException {
        facade.down = true;
        facade.maybeStored = true;
        FakeHttpExchange unknown = approve(storeLink(pendingApproval(ApprovalKind.CALL), Duration.ofHours(1), false));
        assertThat(unknown.status()).isEqualTo(503);
        assertThat(unknown.header("Retry-After")).isPresent();
        assertThat(json(unknown).path("detail").asText())
                .contains("it is unknown")
                .doesNotContain("nothing was changed");
    }

    @Test
    void bodyThatIsNotUtf8IsRefused() throws IOException {
        // Starts like UTF-32, followed by bytes that are not a character.
        FakeHttpExchange refused = ask("\0\0\0{\u007f\u007f\u007f\u007f");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.header("Content-Type")).hasValue("application/problem+json");
    }

    private static final class FakeApprovalFacade extends ApprovalFacade {
        private boolean down;
        private boolean maybeStored;
        private int votes;

        @Override
        public ObjectNode vote(Caller caller, UUID id, ApprovalVote ballot) {
            votes++;
            if (down) {
                throw new StoreUnavailableException("down", new IllegalStateException(), maybeStored);
            }
            return JsonNodeFactory.instance.objectNode();
        }

        @Override
        public ObjectNode show(Caller caller, Approval approval) {
            return JsonNodeFactory.instance.objectNode();
        }
    }

    private static final class FakeApprovalLinkStore implements ApprovalLinkStore {
        private final List<ApprovalLink> links = new ArrayList<>();

        @Override
        public boolean add(ApprovalLink link, int ofMaker, int maxLinks) {
            return links.add(link);
        }

        @Override
        public Optional<ApprovalLink> find(UUID id) {
            return links.stream().filter(link -> link.id().equals(id)).findFirst();
        }

        @Override
        public boolean remove(String tenant, UUID approval, UUID id) {
            return links.removeIf(link -> link.id().equals(id));
        }
    }

    private static final class LinkTestApiKeyStore implements ApiKeyStore {
        private final Map<String, ApiKey> keys = new HashMap<>();

        @Override
        public Optional<ApiKey> find(String id) {
            return Optional.ofNullable(keys.get(id));
        }

        @Override
        public void put(ApiKey key) {
            keys.put(key.id(), key);
        }

        @Override
        public boolean replaceGrants(String tenant, String id, List<String> grants) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean remove(String tenant, String id) {
            return keys.remove(id) != null;
        }

        @Override
        public List<ApiKey> list(String tenant) {
            return List.copyOf(keys.values());
        }
    }
}
