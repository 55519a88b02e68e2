package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.tool.Json;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.openapi.ApiDescription;
import org.sallyport.web.security.AuthenticationFilter;

class PoliciesResourceTest {
    /** Oldest first. */
    private final List<PolicyVersion> stored = new ArrayList<>();

    private final FakeHttpExchange exchange = new FakeHttpExchange("GET", "/api/v1/policies");
    private final PoliciesResource resource = new PoliciesResource();
    /** Number of versions that were read. */
    private int reads;

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    PoliciesResourceTest() {
        resource.store = (PolicyStore) Proxy.newProxyInstance(
                PolicyStore.class.getClassLoader(),
                new Class<?>[] {PolicyStore.class},
                (proxy, called, given) -> switch (called.getName()) {
                    case "findNewest" -> find(stored.size());
                    case "find" -> find((Long) given[1]);
                    default -> throw new UnsupportedOperationException(called.toString());
                });
        exchange.request().setAttribute(AuthenticationFilter.CALLER, new Caller("key", "t", Set.of(Role.AUDITOR)));
    }

    private Optional<PolicyVersion> find(long version) {
        reads++;
        return version == 0 ? Optional.empty() : Optional.of(stored.get((int) version - 1));
    }

    private void add(int count, int documentChars) {
        for (int i = 0; i < count; i++) {
            Json document = new Json("\"" + "x".repeat(documentChars - 2) + "\"");
            stored.add(new PolicyVersion(stored.size() + 1, document, "", "anna", Instant.EPOCH));
        }
    }

    private List<Long> listedVersions() {
        JsonNode list = ApiDescription.roundTrip(
                (JsonNode) resource.list(exchange.request()).getEntity());
        return StreamSupport.stream(list.path("items").spliterator(), false)
                .map(version -> version.path("version").asLong())
                .toList();
    }

    @Test
    void newestHundredVersionsAreListed() {
        assertThat(listedVersions()).isEmpty();
        add(3, 10);
        assertThat(listedVersions()).containsExactly(3L, 2L, 1L);
        add(100, 10);
        assertThat(listedVersions()).hasSize(100).startsWith(103L, 102L).endsWith(4L);
    }

    @Test
    void fewerVersionsWithLargeDocumentsAreReadAndListed() {
        add(50, 1_000_000);

        assertThat(listedVersions()).containsExactly(50L, 49L, 48L, 47L);
        assertThat(reads).isEqualTo(5);
    }

    @Test
    void newestVersionIsListedEvenIfItIsVeryLarge() {
        add(2, 5_000_000);

        assertThat(listedVersions()).containsExactly(2L);
    }
}
