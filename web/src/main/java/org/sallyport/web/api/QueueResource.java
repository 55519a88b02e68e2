package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Instant;
import java.util.Optional;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.UnfinishedCounts;
import org.sallyport.quota.QuotaLimits;
import org.sallyport.quota.QuotaType;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.RolesAllowed;

/** The queue: waiting and running executions. */
@ApplicationScoped
@Path("queue")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.OPERATOR, Role.AUDITOR})
public class QueueResource {
    private static final int MINUTE_SECONDS = 60;

    @Inject
    ExecutionCounts executionCounts;

    @Inject
    QuotaLimits quotas;

    @GET
    public Response get(@Context HttpServletRequest request) {
        String tenant = RequestContexts.caller(request).tenant();
        ObjectNode json = ExecutionMapper.object();
        json.set("tenant", backlog(executionCounts.unfinishedCounts(Optional.of(tenant))));
        if (request.getAttribute(AuthenticationFilter.OPERATOR_TENANT) != null) {
            json.set("all", backlog(executionCounts.unfinishedCounts(Optional.empty())));
        }
        json.put("limit", quotas.limit(tenant, QuotaType.QUEUED));
        json.put(
                "acceptedLastMinute",
                executionCounts.countAcceptedSince(
                        tenant, ExecutionIdGenerator.lowestIdAt(Instant.now().minusSeconds(MINUTE_SECONDS))));
        return Response.ok(json).build();
    }

    private static ObjectNode backlog(UnfinishedCounts backlog) {
        ObjectNode json = ExecutionMapper.object();
        ObjectNode counts = json.putObject("counts");
        ObjectNode priorities = json.putObject("pendingByPriority");
        long oldest = -1;
        for (UnfinishedCounts.UnfinishedCount row : backlog.counts()) {
            counts.put(row.state().name(), counts.path(row.state().name()).asInt() + row.count());
            if (row.state() == ExecutionState.PENDING) {
                priorities.put(Integer.toString(row.priority()), row.count());
                oldest = Math.max(oldest, row.oldest().toMillis());
            }
        }
        if (oldest >= 0) {
            json.put("oldestPendingMillis", oldest);
        }
        return json;
    }
}
