package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.ws.rs.core.Response;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionLimits;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.StoredSubmission;
import org.sallyport.submission.PlanService;
import org.sallyport.tool.Json;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.openapi.ApiDescription;
import org.sallyport.web.security.AuthenticationFilter;

class PlansResourceTest {
    private static final ExecutionId DRY_RUN = new ExecutionId(new UUID(1, 1));

    private final LargeTraceSource traces = new LargeTraceSource();
    private final FakeHttpExchange exchange = new FakeHttpExchange("GET", "/api/v1/plans/" + DRY_RUN);
    private final PlansResource resource = new PlansResource();

    /** Nothing here approves a plan, so that the plan service needs no services for its runs. */
    @SuppressWarnings({"NullAway", "UnnecessaryAssignment"}) // there is no container here to inject them
    PlansResourceTest() {
        ExecutionStore store = (ExecutionStore) Proxy.newProxyInstance(
                ExecutionStore.class.getClassLoader(),
                new Class<?>[] {ExecutionStore.class},
                (proxy, called, given) -> {
                    assertThat(called.getName()).isEqualTo("findSubmission");
                    return Optional.of(dryRun());
                });
        resource.details = new ExecutionDetails();
        resource.details.plans = new PlanService(store, traces.journal(), null, null, false);
        resource.details.vault = VaultWithoutSecrets.create();
        exchange.request().setAttribute(AuthenticationFilter.CALLER, new Caller("key", "t", Set.of(Role.SUBMITTER)));
    }

    private static StoredSubmission dryRun() {
        return new StoredSubmission(
                ExecutionFixtures.summary(DRY_RUN),
                "",
                Json.NULL,
                Json.NULL,
                new ExecutionLimits(1, 1, 1, 1, 1),
                List.of(),
                Optional.empty(),
                Durability.JOURNAL,
                new EffectMode.DryRun(Json.EMPTY_OBJECT),
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private Response plan() {
        return resource.get(exchange.request(), DRY_RUN.toString());
    }

    private void assertTooLarge() {
        Problem problem = ProblemAssertions.problemOf(this::plan);
        assertThat(problem.type()).isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
        assertThat(problem.detail()).contains(DRY_RUN.toString(), "read the trace of the dry run in pages");
    }

    @Test
    void planWithTooManyBytesIsRefused() {
        traces.setCalls(DRY_RUN, 50);

        assertTooLarge();
    }

    @Test
    void traceIsNotReadBeyondTheBytesOfAPlan() {
        traces.setCalls(DRY_RUN, Integer.MAX_VALUE);

        assertTooLarge();
    }

    @Test
    void planWithFewerBytesIsShown() {
        traces.setCalls(DRY_RUN, 40);

        JsonNode plan = ApiDescription.roundTrip((JsonNode) plan().getEntity());

        assertThat(plan.path("effects")).hasSize(40);
        assertThat(plan.path("approvable").asBoolean()).isTrue();
    }
}
