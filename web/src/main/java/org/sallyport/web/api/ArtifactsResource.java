package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactReader;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.StreamRegistry;
import org.sallyport.web.security.RolesAllowed;

/**
 * The artifacts of an execution. Their content comes from a script, so browsers must download it and never display it.
 */
@ApplicationScoped
@Path("executions/{id}/artifacts")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ArtifactsResource {
    /** Content of at most this size is no stream, so that it does not count against the limit of streams. */
    private static final int MAX_UNSTREAMED_BYTES = 64 << 10;

    @Inject
    ExecutionDetails details;

    @Inject
    ArtifactStore artifacts;

    @Inject
    CompletionWaiter waiter;

    @Inject
    StreamRegistry streams;

    /**
     * Lists the artifacts or, with {@code name}, returns the content of one. The name is a query parameter, because a
     * path cannot hold every name.
     */
    @GET
    @Produces({MediaType.APPLICATION_JSON, MediaType.WILDCARD})
    public void list(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("name") @Nullable String name,
            @Suspended AsyncResponse response) {
        if (name != null) {
            content(request, id, name, response);
            return;
        }
        ExecutionId execution = RequestContexts.executionId(id);
        response.resume(Response.ok(
                        details.artifacts(RequestContexts.caller(request), execution), MediaType.APPLICATION_JSON_TYPE)
                .build());
    }

    @GET
    @Path("{name}")
    @Produces(MediaType.WILDCARD)
    public void get(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @PathParam("name") String name,
            @Suspended AsyncResponse response) {
        content(request, id, name, response);
    }

    /** Sends small content at once, and other content as a stream, of which only one chunk is in memory. */
    private void content(HttpServletRequest request, String id, String name, AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        ExecutionId execution = RequestContexts.executionId(id);
        details.requireExecution(caller, execution);
        ArtifactReader reader = artifacts.open(execution, name).orElseThrow(() -> artifactNotFound(name));
        Artifact artifact = reader.artifact();
        if (artifact.size() > MAX_UNSTREAMED_BYTES) {
            streams.respond(request, caller, response, new ArtifactStream(reader, waiter::delay));
            return;
        }
        ArtifactContent whole = artifacts.read(execution, name).orElseThrow(() -> artifactNotFound(name));
        Response.ResponseBuilder download = Response.ok(whole.bytes()).header("Content-Type", whole.contentType());
        ArtifactStream.headers(artifact).forEach(download::header);
        response.resume(download.build());
    }

    private static ProblemException artifactNotFound(String name) {
        return new ProblemException(
                ProblemType.NOT_FOUND, "the execution keeps no artifact '" + RequestContexts.abbreviate(name) + "'");
    }
}
