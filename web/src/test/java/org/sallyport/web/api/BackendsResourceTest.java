package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.ByteArrayInputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.configuration.Configuration;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.SecretResolverFactory;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.tool.Json;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.security.AuthenticationFilter;

class BackendsResourceTest {
    private static final int MAX_BACKENDS = 200;

    /** The resource of a node that hosts none of the backends, so that it needs no connections. */
    @SuppressWarnings({"NullAway", "UnnecessaryAssignment"}) // there is no container here to inject fields
    private static BackendsResource resource(int backends) {
        List<BackendDefinition> stored = IntStream.range(0, backends)
                .mapToObj(number -> new BackendDefinition(
                        "b" + number,
                        "unknown",
                        Json.EMPTY_OBJECT,
                        true,
                        number % 2 == 0 ? BackendOrigin.API : BackendOrigin.FILE,
                        "1"))
                .toList();
        BackendStore store = (BackendStore) Proxy.newProxyInstance(
                BackendStore.class.getClassLoader(),
                new Class<?>[] {BackendStore.class},
                (proxy, called, given) -> switch (called.getName()) {
                    case "list" -> stored;
                    case "listIdentifiers" -> Map.of();
                    case "listTools" -> List.of();
                    default -> throw new UnsupportedOperationException(called.toString());
                });
        BackendsResource resource = new BackendsResource();
        resource.backends = new BackendRegistry(
                store,
                new ToolCatalog(),
                null,
                null,
                List.of(),
                new SecretResolverFactory(VaultWithoutSecrets.create()),
                null,
                InstantSource.system());
        resource.backends.sync();
        resource.json = new StrictJsonReader(
                Configuration.read(Map.of(), Map.of()), new RequestMemory(new MemoryBudgets(0, 0)));
        return resource;
    }

    private static Response add(BackendsResource resource) {
        HttpServletRequest request = new FakeHttpExchange("POST", "/api/v1/backends").request();
        request.setAttribute(AuthenticationFilter.CALLER, new Caller("key", "default", Set.of(Role.ADMIN)));
        byte[] body = "{\"name\":\"more\",\"kind\":\"other\"}".getBytes(StandardCharsets.UTF_8);
        return resource.add(
                new ByteArrayInputStream(body),
                request,
                new FakeHttpHeaders(MediaType.APPLICATION_JSON_TYPE, body.length));
    }

    @Test
    void numberOfBackendsIsLimited() {
        BackendsResource full = resource(MAX_BACKENDS);

        Problem problem = ProblemAssertions.problemOf(() -> add(full));

        assertThat(problem.type()).isEqualTo(ProblemType.TOO_MANY_BACKENDS);
        assertThat(problem.members().path("limit").asInt()).isEqualTo(MAX_BACKENDS);
    }

    @Test
    void oneBackendLessIsBelowTheLimit() {
        BackendsResource notFull = resource(MAX_BACKENDS - 1);

        assertThatThrownBy(() -> add(notFull))
                .as("the node knows no kind of backend")
                .isInstanceOf(InvalidBackendException.class);
    }
}
