package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.Optional;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;
import org.sallyport.runner.LeaseManager;
import org.sallyport.web.security.OperatorTenantOnly;
import org.sallyport.web.security.RolesAllowed;

/** The nodes of the installation. */
@ApplicationScoped
@Path("nodes")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.OPERATOR, Role.AUDITOR})
public class NodesResource {
    @Inject
    NodeStore nodes;

    @Inject
    ExecutionCounts executionCounts;

    @Inject
    LeaseManager leaseManager;

    @GET
    @OperatorTenantOnly
    public Response list() {
        Map<String, Integer> running = executionCounts.countRunningByLeaseOwner();
        return Response.ok(ExecutionMapper.list(
                        nodes.list().stream()
                                .map(node -> represent(node, running))
                                .toList(),
                        Optional.empty()))
                .build();
    }

    private ObjectNode represent(NodeLease node, Map<String, Integer> running) {
        // A node may still run executions that it claimed before its lease expired, under an earlier lease owner of the
        // same incarnation.
        int held = running.entrySet().stream()
                .filter(holder -> holder.getKey().startsWith(node.incarnation() + "."))
                .mapToInt(Map.Entry::getValue)
                .sum();
        return ExecutionMapper.object()
                .put("id", node.id())
                .put("incarnation", node.incarnation())
                .put("host", node.hostPath())
                .put("startedAt", node.startedAt().toString())
                .put("leaseUntil", node.expiresAt().toString())
                .put("alive", !node.expired())
                .put("running", held)
                .put("self", node.incarnation().equals(leaseManager.node().incarnation()));
    }
}
