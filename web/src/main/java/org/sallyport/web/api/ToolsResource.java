package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Optional;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.toolgraph.ToolGraphs;
import org.sallyport.web.security.Allowed;

/** The tools there are. */
@ApplicationScoped
@Path("tools")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ToolsResource {
    private static final int LONGEST_QUERY = 500;

    @Inject
    Catalog catalog;

    @Inject
    ToolGraphs graphs;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("q") @DefaultValue("") String words,
            @QueryParam("backend") @DefaultValue("") String backend) {
        if (words.length() > LONGEST_QUERY) {
            throw Parameters.fault("q", "must have at most " + LONGEST_QUERY + " characters");
        }
        CallNames names = CallNames.of(catalog);
        return Response.ok(Representation.list(
                        found(Requests.caller(request), words).stream()
                                .filter(tool -> backend.isEmpty()
                                        || tool.backend().name().equals(backend))
                                .map(tool -> Representation.tool(tool, names.call(tool)))
                                .toList(),
                        Optional.empty()))
                .build();
    }

    private List<CatalogTool> found(Caller caller, String words) {
        return words.isBlank() ? catalog.all() : catalog.search(words, graphs.recent(caller.tenant()));
    }
}
