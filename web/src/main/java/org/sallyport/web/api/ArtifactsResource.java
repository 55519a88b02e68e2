package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.RolesAllowed;

/**
 * The artifacts of an execution. Their content comes from a script, so browsers must download it and never display it.
 */
@ApplicationScoped
@Path("executions/{id}/artifacts")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ArtifactsResource {
    @Inject
    ExecutionDetails details;

    @Inject
    ArtifactStore artifacts;

    /**
     * Lists the artifacts or, with {@code name}, returns the content of one. The name is a query parameter, because a
     * path cannot hold every name.
     */
    @GET
    @Produces({MediaType.APPLICATION_JSON, MediaType.WILDCARD})
    public Response list(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("name") @Nullable String name) {
        if (name != null) {
            return content(requireExecution(request, id), name);
        }
        ExecutionId execution = RequestContexts.executionId(id);
        return Response.ok(
                        details.artifacts(RequestContexts.caller(request), execution), MediaType.APPLICATION_JSON_TYPE)
                .build();
    }

    @GET
    @Path("{name}")
    @Produces(MediaType.WILDCARD)
    public Response get(
            @Context HttpServletRequest request, @PathParam("id") String id, @PathParam("name") String name) {
        return content(requireExecution(request, id), name);
    }

    private Response content(ExecutionId execution, String name) {
        ArtifactContent content = artifacts
                .read(execution, name)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND,
                        "the execution keeps no artifact '" + RequestContexts.abbreviate(name) + "'"));
        return Response.ok(content.bytes())
                .header("Content-Type", content.contentType())
                .header("Content-Disposition", ContentDisposition.attachment(name))
                .header("Content-Security-Policy", "sandbox; default-src 'none'")
                .build();
    }

    private ExecutionId requireExecution(HttpServletRequest request, String id) {
        ExecutionId execution = RequestContexts.executionId(id);
        details.requireExecution(RequestContexts.caller(request), execution);
        return execution;
    }
}
