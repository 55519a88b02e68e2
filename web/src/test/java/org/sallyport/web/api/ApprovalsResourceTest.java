package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.ws.rs.core.Response;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.openapi.ApiDescription;
import org.sallyport.web.security.AuthenticationFilter;

class ApprovalsResourceTest {
    /** Newest first. */
    private final List<Approval> stored = new ArrayList<>();

    private final FakeHttpExchange exchange = new FakeHttpExchange("GET", "/api/v1/approvals");
    private final ApprovalsResource resource = new ApprovalsResource();

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject them
    ApprovalsResourceTest() {
        ApprovalStore store = (ApprovalStore) Proxy.newProxyInstance(
                ApprovalStore.class.getClassLoader(),
                new Class<?>[] {ApprovalStore.class},
                (proxy, called, given) -> switch (called.getName()) {
                    case "list" -> list((Optional<?>) given[2], (Integer) given[3]);
                    case "findContexts" -> Map.of();
                    default -> throw new UnsupportedOperationException(called.toString());
                });
        resource.approvals = store;
        resource.facade = new ApprovalFacade();
        resource.facade.approvals = store;
        resource.facade.vault = VaultWithoutSecrets.create();
        exchange.request().setAttribute(AuthenticationFilter.CALLER, new Caller("key", "t", Set.of(Role.APPROVER)));
    }

    private List<Approval> list(Optional<?> before, int limit) {
        return stored.stream()
                .filter(approval -> before.filter(last -> approval.id().compareTo((UUID) last) >= 0)
                        .isEmpty())
                .limit(limit)
                .toList();
    }

    private void ask(int count, int argumentChars) {
        IntStream.range(0, count)
                .forEach(i -> stored.add(ApprovalFixtures.pending(new UUID(1, 1_000 - stored.size()), argumentChars)));
    }

    private JsonNode page(@Nullable String cursor) {
        Response response = resource.list(exchange.request(), null, "50", cursor);
        JsonNode page = ApiDescription.roundTrip((JsonNode) response.getEntity());
        assertThat(ApiDescription.read().violations("ApprovalPage", page)).isEmpty();
        return page;
    }

    @ParameterizedTest
    @CsvSource({"300000,3", "600000,1", "2000000,1", "1048076,1", "523788,2"})
    void pagesOfLargeApprovalsHaveEachOfThemOnceInOrder(int argumentChars, int expectedPerPage) {
        ask(7, argumentChars);

        JsonNode page = page(null);
        List<String> seen = new ArrayList<>(page.path("items").findValuesAsText("id"));
        while (!page.path("next").isNull()) {
            assertThat(page.path("items")).hasSize(expectedPerPage);
            page = page(page.path("next").asText());
            seen.addAll(page.path("items").findValuesAsText("id"));
        }

        assertThat(seen)
                .isEqualTo(stored.stream().map(each -> each.id().toString()).toList());
    }

    @Test
    void repeatedCursorGivesTheSamePage() {
        ask(7, 300_000);
        String cursor = page(null).path("next").asText();

        assertThat(page(cursor)).isEqualTo(page(cursor));
    }
}
