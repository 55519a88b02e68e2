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
import org.sallyport.access.Role;
import org.sallyport.execution.Census;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;
import org.sallyport.runner.LeaseKeeper;
import org.sallyport.web.security.Allowed;
import org.sallyport.web.security.OperatingTenant;

/** The nodes of the installation. */
@ApplicationScoped
@Path("nodes")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.OPERATOR, Role.AUDITOR})
public class NodesResource {
    @Inject
    NodeStore nodes;

    @Inject
    Census census;

    @Inject
    LeaseKeeper lease;

    @GET
    @OperatingTenant
    public Response list() {
        Map<String, Integer> running = census.running();
        return Response.ok(Representation.list(
                        nodes.list().stream()
                                .map(node -> represent(node, running))
                                .toList(),
                        Optional.empty()))
                .build();
    }

    private ObjectNode represent(NodeLease node, Map<String, Integer> running) {
        // A node may still run what it took before a lapse of its lease, under an earlier name of the same life.
        int held = running.entrySet().stream()
                .filter(holder -> holder.getKey().startsWith(node.incarnation() + "."))
                .mapToInt(Map.Entry::getValue)
                .sum();
        return Representation.object()
                .put("id", node.id())
                .put("incarnation", node.incarnation())
                .put("home", node.home())
                .put("startedAt", node.startedAt().toString())
                .put("leaseUntil", node.until().toString())
                .put("alive", !node.expired())
                .put("running", held)
                .put("answering", node.incarnation().equals(lease.node().incarnation()));
    }
}
