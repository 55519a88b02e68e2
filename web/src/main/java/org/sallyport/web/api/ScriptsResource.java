package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.script.ScriptStore;
import org.sallyport.script.ScriptSummary;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/**
 * Saved scripts: scripts that succeeded and were saved under a name. Shows, deletes and promotes them to capabilities;
 * they run like other executions.
 */
@ApplicationScoped
@Path("scripts")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ScriptsResource {
    private static final String NAME_PATH = "{name}";

    @Inject
    ScriptStore store;

    @Inject
    ScriptFacade scripts;

    @Inject
    ExecutionStore executions;

    @Inject
    PromotionResource promotion;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("q") @Nullable String search,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        return Response.ok(scripts.list(RequestContexts.caller(request), search, limit, cursor))
                .build();
    }

    @GET
    @Path(NAME_PATH)
    public Response get(@Context HttpServletRequest request, @PathParam("name") String name) {
        return Response.ok(scripts.show(RequestContexts.caller(request), name)).build();
    }

    @DELETE
    @Path(NAME_PATH)
    @Audited("script.delete")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    public Response delete(@Context HttpServletRequest request, @PathParam("name") String name) {
        scripts.delete(RequestContexts.caller(request), name);
        return Response.noContent().build();
    }

    @DELETE
    @Audited("script.clear")
    @RolesAllowed(Role.OPERATOR)
    public Response clear(@Context HttpServletRequest request) {
        int count = store.deleteAll(RequestContexts.caller(request).tenant());
        return Response.ok(ExecutionMapper.object().put("deleted", count)).build();
    }

    @POST
    @Path(NAME_PATH + "/capability")
    @Audited("capability.publish")
    @RolesAllowed(Role.OPERATOR)
    public void promote(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        ScriptSummary script = scripts.find(caller, name).summary();
        if (executions.pollVersion(caller.tenant(), script.lastRun()).isEmpty()) {
            throw new ProblemException(
                    ProblemType.NOT_PROMOTABLE,
                    "the execution that the script was saved from no longer exists; run the script with 'cacheAs'"
                            + " again, or publish its code with your own tests");
        }
        promotion.promote(in, request, headers, script.lastRun().toString(), response);
    }
}
