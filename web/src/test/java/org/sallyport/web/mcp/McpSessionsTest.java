package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.web.ProblemException;

class McpSessionsTest {
    private static final Caller ADA = new Caller("ada", "tenant", Set.of(Role.SUBMITTER));

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final McpSessions sessions = new McpSessions(2, Duration.ofMinutes(1), () -> now);

    private static McpStreamableServerSession sdk() {
        return new McpStreamableServerSession(
                UUID.randomUUID().toString(),
                new McpSchema.ClientCapabilities(null, null, null, null),
                McpSchema.Implementation.builder("test", "1").build(),
                Duration.ofSeconds(1),
                Map.of(),
                Map.of());
    }

    private static JsonRpcReader.JsonRpcRequest request(Object id) {
        return new JsonRpcReader.JsonRpcRequest(id, "ping", JsonNodeFactory.instance.objectNode());
    }

    @Test
    void sessionIsFoundOnlyByItsOwner() {
        String id = sessions.add(sdk(), ADA).id();
        assertThat(sessions.find(id, ADA)).isPresent();
        assertThat(sessions.find(id, new Caller("bob", "tenant", ADA.roles()))).isEmpty();
        assertThat(sessions.find(id, new Caller("ada", "other", ADA.roles()))).isEmpty();
        assertThat(sessions.find("another", ADA)).isEmpty();
    }

    @Test
    void idleSessionExpires() {
        McpSession used = sessions.add(sdk(), ADA);
        McpSession waiting = sessions.add(sdk(), ADA);
        PendingRequest call = waiting.openRequest(request(1), ADA);
        now = now.plusSeconds(50);
        assertThat(sessions.find(used.id(), ADA)).isPresent();
        now = now.plusSeconds(50);
        assertThat(sessions.find(used.id(), ADA)).isPresent();
        assertThat(sessions.find(waiting.id(), ADA)).isPresent();
        waiting.complete(1, call);
        now = now.plusSeconds(61);
        assertThat(sessions.find(used.id(), ADA)).isEmpty();
        assertThat(sessions.find(waiting.id(), ADA)).isEmpty();
    }

    @Test
    void excessSessionReplacesTheLongestIdleSession() {
        McpSession first = sessions.add(sdk(), ADA);
        now = now.plusSeconds(1);
        McpSession second = sessions.add(sdk(), ADA);
        now = now.plusSeconds(1);
        assertThat(sessions.find(first.id(), ADA)).isPresent();
        McpSession third = sessions.add(sdk(), ADA);
        assertThat(sessions.find(second.id(), ADA)).isEmpty();
        assertThat(sessions.find(first.id(), ADA)).isPresent();

        first.openRequest(request(1), ADA);
        third.openRequest(request(1), ADA);
        assertThatThrownBy(() -> sessions.add(sdk(), ADA))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("sallyport.mcp.sessions");
        assertThat(sessions.add(sdk(), new Caller("eve", "other", ADA.roles())).id())
                .isNotEmpty();
    }

    @Test
    void keyEvictsNoSessionOfAKeyWithFewerSessions() {
        Caller bob = new Caller("bob", "tenant", ADA.roles());
        McpSessions four = new McpSessions(4, Duration.ofMinutes(1), () -> now);
        McpSession bobs = four.add(sdk(), bob);
        for (int i = 0; i < 20; i++) {
            now = now.plusSeconds(1);
            four.add(sdk(), ADA);
        }
        assertThat(four.find(bobs.id(), bob)).isPresent();

        McpSession second = four.add(sdk(), bob);
        assertThat(four.find(bobs.id(), bob)).isPresent();
        assertThat(four.find(second.id(), bob)).isPresent();
        assertThat(four.add(sdk(), new Caller("cy", "tenant", ADA.roles())).id())
                .isNotEmpty();
    }

    @Test
    void callOfADisconnectedClientCanBeCancelled() {
        McpSession session = sessions.add(sdk(), ADA);
        int[] undone = {0};
        PendingRequest abandoned = session.openRequest(request(1), ADA);
        abandoned.onCancel(() -> undone[0]++);
        session.abandon(1, abandoned);
        assertThat(abandoned.isClosed()).isTrue();
        assertThat(undone[0]).isZero();
        session.cancel(1);
        session.cancel(1);
        assertThat(undone[0]).isEqualTo(1);

        PendingRequest early = session.openRequest(request(2), ADA);
        session.abandon(2, early);
        session.cancel(2);
        early.onCancel(() -> undone[0]++);
        assertThat(undone[0]).isEqualTo(2);
    }

    @Test
    void duplicateRequestIdsAndTooManyCallsAreRefused() {
        McpSession session = sessions.add(sdk(), ADA);
        session.openRequest(request("a"), ADA);
        assertThatThrownBy(() -> session.openRequest(request("a"), ADA)).isInstanceOf(JsonRpcException.class);
        for (int i = 1; i < McpSession.MAX_PENDING_REQUESTS; i++) {
            session.openRequest(request(i), ADA);
        }
        assertThatThrownBy(() -> session.openRequest(request("b"), ADA))
                .isInstanceOf(JsonRpcException.class)
                .hasMessageContaining("are open");
    }

    @Test
    void cancelledCallIsUndoneOnce() {
        McpSession session = sessions.add(sdk(), ADA);
        int[] undone = {0};
        PendingRequest early = session.openRequest(request(1), ADA);
        session.cancel(1);
        early.onCancel(() -> undone[0]++);
        assertThat(undone[0]).isEqualTo(1);

        PendingRequest late = session.openRequest(request(2), ADA);
        late.onCancel(() -> undone[0]++);
        session.cancel(2);
        session.cancel(2);
        session.cancel(3);
        assertThat(undone[0]).isEqualTo(2);

        PendingRequest ended = session.openRequest(request(4), ADA);
        ended.onCancel(() -> undone[0]++);
        session.complete(4, ended);
        session.cancel(4);
        assertThat(undone[0]).isEqualTo(2);
        assertThat(ended.isClosed()).isTrue();
    }
}
