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
import org.sallyport.access.ApiKey;
import org.sallyport.access.ApiKeyStore;
import org.sallyport.access.BlockedSubjectStore;
import org.sallyport.access.BlockedSubjects;
import org.sallyport.access.Caller;
import org.sallyport.access.Keys;
import org.sallyport.access.Role;
import org.sallyport.access.Standing;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.Ballot;
import org.sallyport.approval.LinkToken;
import org.sallyport.approval.Question;
import org.sallyport.audit.AuditLog;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.policy.Terms;
import org.sallyport.runner.ApprovalLinks;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.web.Exchange;
import org.sallyport.web.api.ApprovalCalls;
import org.sallyport.web.audit.AuditInMemory;
import org.sallyport.web.audit.Deeds;
import org.sallyport.web.openapi.ApiDescription;
import org.sallyport.web.security.Brake;
import org.sallyport.web.security.Rates;

class ApprovalLinkServletTest {
    private static final String TENANT = "acme";
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MILLIS);

    private final Keys keys = new Keys(new KeysInMemory(), () -> NOW, new SecureRandom());
    private final String maker = keys.issue(TENANT, "anna", Set.of(Role.APPROVER), Optional.empty())
            .key()
            .id();
    private final Map<UUID, Approval> approvals = new HashMap<>();
    private final LinksInMemory stored = new LinksInMemory();
    private final Calls calls = new Calls();
    private final ApprovalLinkServlet servlet = new ApprovalLinkServlet();

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    ApprovalLinkServletTest() {
        BlockedSubjectStore nobody = answering(BlockedSubjectStore.class, Map.of("contains", given -> false));
        servlet.links = new ApprovalLinks(
                answering(
                        ApprovalStore.class,
                        Map.of("find", given -> Optional.ofNullable(approvals.get((UUID) given[1])))),
                stored,
                (asked, caller) -> false,
                keys,
                new Standing(keys, new BlockedSubjects(nobody, UUID::randomUUID, () -> NOW, Duration.ZERO), () -> NOW),
                (name, end) -> Optional.empty(),
                UUID::randomUUID,
                new SecureRandom(),
                () -> NOW);
        servlet.calls = calls;
        servlet.deeds = new Deeds(new AuditLog(new AuditInMemory(), UUID::randomUUID, System::nanoTime));
        servlet.brake = new Brake();
        servlet.rates = new Rates(Configuration.read(Map.of("sallyport.limits.requests", "1"), Map.of()));
    }

    /** What a method of a store gives. */
    @FunctionalInterface
    private interface Given {
        Object by(Object[] arguments);
    }

    private static <T> T answering(Class<T> type, Map<String, Given> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, called, given) -> {
                    Given answer = answers.get(called.getName());
                    if (answer == null) {
                        throw new UnsupportedOperationException(called.toString());
                    }
                    return answer.by(given == null ? new Object[0] : given);
                }));
    }

    private Approval asked(ApprovalKind kind) {
        Question question = new Question(
                new ExecutionId(UUID.randomUUID()),
                1,
                kind,
                0,
                new ToolName("mail", "send"),
                Json.EMPTY_OBJECT,
                "mail",
                new Terms(1, Duration.ofDays(1), Terms.AtExpiry.DENY, ""));
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
                Approval.Reminded.NEVER);
        approvals.put(approval.id(), approval);
        return approval;
    }

    /** The token of a link that is stored so, whether it would be made or not. */
    private String link(Approval approval, Duration patience, boolean used) {
        LinkToken token = LinkToken.of(UUID.randomUUID(), new byte[LinkToken.SECRET_BYTES]);
        ApprovalLink unsealed = new ApprovalLink(
                token.link(),
                TENANT,
                approval.id(),
                "",
                new ApprovalLink.Maker(maker, Optional.empty()),
                NOW.plus(patience),
                used);
        stored.links.add(new ApprovalLink(
                unsealed.id(),
                TENANT,
                approval.id(),
                token.seal(unsealed, approval.hash()),
                unsealed.maker(),
                unsealed.expiresAt(),
                used));
        return token.text();
    }

    private Exchange ask(String body) throws IOException {
        Exchange exchange = new Exchange("POST", ApprovalLinkServlet.PATH).body("application/json", body);
        servlet.service(exchange.request(), exchange.response());
        return exchange;
    }

    private Exchange open(String token) throws IOException {
        return ask("{\"token\":\"" + token + "\"}");
    }

    private Exchange approve(String token) throws IOException {
        return ask("{\"token\":\"" + token + "\",\"decision\":\"approve\"}");
    }

    private static JsonNode json(Exchange exchange) {
        return ApiDescription.parse(exchange.body());
    }

    /** Asks until it is told to wait; what it was told before. */
    private String exhaust(String token) throws IOException {
        String before = "";
        Exchange last = open(token);
        for (int i = 0; last.status() != 429 && i < 100; i++) {
            before = json(last).path("type").asText();
            last = open(token);
        }
        assertThat(last.status()).isEqualTo(429);
        assertThat(last.header("Retry-After")).isPresent();
        return before;
    }

    @Test
    void whoAsksALinkTooOftenTakesNothingFromItsMakerNorFromOtherLinks() throws IOException {
        Approval asked = asked(ApprovalKind.CALL);
        String leaked = link(asked, Duration.ofHours(1), false);
        exhaust(leaked);
        assertThat(servlet.rates.tooMany(maker)).isEmpty();
        assertThat(open(link(asked, Duration.ofHours(1), false)).status()).isEqualTo(200);
    }

    @Test
    void alsoALinkThatCountsNoMoreIsAskedSoOftenOnly() throws IOException {
        Approval asked = asked(ApprovalKind.CALL);
        assertThat(exhaust(link(asked, Duration.ofHours(1), true))).endsWith("link-used");
        assertThat(exhaust(link(asked, Duration.ofHours(-1), false))).endsWith("link-over");
    }

    @Test
    void whatBecameOfACallIsDecidedByNoLink() throws IOException {
        Exchange refused = approve(link(asked(ApprovalKind.OUTCOME), Duration.ofHours(1), false));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(json(refused).path("detail").asText()).contains("what the call gave");
        assertThat(calls.votes).isZero();
    }

    @Test
    void whoseVoteIsNotAnsweredIsNotToldThatItDoesNotCount() throws IOException {
        calls.down = true;
        Exchange unknown = approve(link(asked(ApprovalKind.CALL), Duration.ofHours(1), false));
        assertThat(unknown.status()).isEqualTo(503);
        assertThat(unknown.header("Retry-After")).isPresent();
        assertThat(json(unknown).path("detail").asText())
                .contains("is not known")
                .doesNotContain("nothing was changed");
    }

    @Test
    void bytesThatAreNoTextAreNoRequest() throws IOException {
        // Begins like UTF-32, and goes on with what no character has.
        Exchange refused = ask("\0\0\0{\u007f\u007f\u007f\u007f");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.header("Content-Type")).hasValue("application/problem+json");
    }

    private static final class Calls extends ApprovalCalls {
        private boolean down;
        private int votes;

        @Override
        public ObjectNode vote(Caller caller, UUID id, Ballot ballot) {
            votes++;
            if (down) {
                throw new StoreUnavailableException("down", new IllegalStateException());
            }
            return JsonNodeFactory.instance.objectNode();
        }

        @Override
        public ObjectNode show(Caller caller, Approval approval) {
            return JsonNodeFactory.instance.objectNode();
        }
    }

    private static final class LinksInMemory implements ApprovalLinkStore {
        private final List<ApprovalLink> links = new ArrayList<>();

        @Override
        public boolean add(ApprovalLink link, int ofMaker, int most) {
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

    private static final class KeysInMemory implements ApiKeyStore {
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
        public boolean grant(String tenant, String id, List<String> grants) {
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
