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
import org.sallyport.access.Role;
import org.sallyport.execution.Backlog;
import org.sallyport.execution.Census;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.ExecutionState;
import org.sallyport.quota.Quota;
import org.sallyport.quota.Quotas;
import org.sallyport.web.security.Allowed;
import org.sallyport.web.security.AuthenticationFilter;

/** What waits and runs. */
@ApplicationScoped
@Path("queue")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.OPERATOR, Role.AUDITOR})
public class QueueResource {
    private static final int MINUTE_SECONDS = 60;

    @Inject
    Census census;

    @Inject
    Quotas quotas;

    @GET
    public Response get(@Context HttpServletRequest request) {
        String tenant = Requests.caller(request).tenant();
        ObjectNode json = Representation.object();
        json.set("tenant", backlog(census.backlog(Optional.of(tenant))));
        if (request.getAttribute(AuthenticationFilter.OPERATES) != null) {
            json.set("all", backlog(census.backlog(Optional.empty())));
        }
        json.put("limit", quotas.most(tenant, Quota.QUEUED));
        json.put(
                "acceptedLastMinute",
                census.acceptedSince(tenant, ExecutionIds.floor(Instant.now().minusSeconds(MINUTE_SECONDS))));
        return Response.ok(json).build();
    }

    private static ObjectNode backlog(Backlog backlog) {
        ObjectNode json = Representation.object();
        ObjectNode counts = json.putObject("counts");
        ObjectNode priorities = json.putObject("pendingByPriority");
        long oldest = -1;
        for (Backlog.Row row : backlog.rows()) {
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
