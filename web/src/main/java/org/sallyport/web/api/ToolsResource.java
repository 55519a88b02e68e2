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
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.toolgraph.ToolGraphService;
import org.sallyport.web.security.RolesAllowed;

/** The available tools. */
@ApplicationScoped
@Path("tools")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ToolsResource {
    private static final int MAX_QUERY_LENGTH = 500;

    @Inject
    ToolCatalog catalog;

    @Inject
    ToolGraphService graphs;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("q") @DefaultValue("") String words,
            @QueryParam("backend") @DefaultValue("") String backend) {
        if (words.length() > MAX_QUERY_LENGTH) {
            throw RequestParameters.invalidParameter("q", "must have at most " + MAX_QUERY_LENGTH + " characters");
        }
        return Response.ok(ExecutionMapper.list(
                        findTools(RequestContexts.caller(request), words).stream()
                                .filter(tool -> backend.isEmpty()
                                        || tool.backend().name().equals(backend))
                                .map(tool -> ExecutionMapper.tool(tool, ScriptToolNames.callExpression(tool)))
                                .toList(),
                        Optional.empty()))
                .build();
    }

    private List<CatalogTool> findTools(Caller caller, String words) {
        return words.isBlank() ? catalog.all() : catalog.search(words, graphs.recentGraph(caller.tenant()));
    }
}
