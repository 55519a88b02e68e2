package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.ws.rs.core.Response;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.tool.Json;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.AsyncResponses;
import org.sallyport.web.openapi.ApiDescription;
import org.sallyport.web.security.AuthenticationFilter;

class DiffResourceTest {
    private static final ExecutionId SHORT = new ExecutionId(new UUID(1, 1));
    private static final ExecutionId LONG = new ExecutionId(new UUID(1, 2));

    private final LargeTraceSource traces = new LargeTraceSource();
    private final FakeHttpExchange exchange = new FakeHttpExchange("GET", "/api/v1/executions/" + SHORT + "/diff");
    private final DiffResource resource = new DiffResource();

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject them
    DiffResourceTest() {
        ExecutionStore store = (ExecutionStore) Proxy.newProxyInstance(
                ExecutionStore.class.getClassLoader(),
                new Class<?>[] {ExecutionStore.class},
                (proxy, called, given) -> switch (called.getName()) {
                    case "find" -> Optional.of(ExecutionFixtures.completed((ExecutionId) given[1], Json.NULL, 0));
                    case "readOutput" -> "";
                    default -> throw new UnsupportedOperationException(called.toString());
                });
        resource.store = store;
        resource.responder = new ExecutionResponder();
        resource.responder.store = store;
        resource.responder.responses = new AsyncResponses() {};
        resource.journal = traces.journal();
        resource.redactions = RedactionProvider.NONE;
        exchange.request().setAttribute(AuthenticationFilter.CALLER, new Caller("key", "t", Set.of(Role.SUBMITTER)));
        traces.setCalls(SHORT, 3);
    }

    private Response diff(ExecutionId one, ExecutionId other) {
        return resource.diff(exchange.request(), one.toString(), other.toString());
    }

    private void assertTooLarge(ExecutionId one, ExecutionId other) {
        Problem problem = ProblemAssertions.problemOf(() -> diff(one, other));
        assertThat(problem.type()).isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
        assertThat(problem.detail()).contains(LONG.toString(), "read both traces in pages");
    }

    @Test
    void traceWithTooManyBytesIsNotCompared() {
        traces.setCalls(LONG, 50);

        assertTooLarge(LONG, SHORT);
        assertTooLarge(SHORT, LONG);
    }

    @Test
    void traceIsNotReadBeyondTheBytesThatAreCompared() {
        traces.setCalls(LONG, Integer.MAX_VALUE);

        assertTooLarge(LONG, SHORT);
    }

    @Test
    void traceWithFewerBytesIsCompared() {
        traces.setCalls(LONG, 40);

        JsonNode diff = ApiDescription.roundTrip((JsonNode) diff(SHORT, LONG).getEntity());

        assertThat(diff.path("callsDiffering").asInt()).isEqualTo(37);
    }
}
