package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.ExecutionId;
import org.sallyport.submission.RerunRequest;
import org.sallyport.submission.RerunService;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** Re-runs ended executions. */
@ApplicationScoped
@Path("executions/{id}/rerun")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.SUBMITTER)
public class RerunResource {
    @Inject
    RerunService reruns;

    @Inject
    ExecutionResponder responder;

    @Inject
    StrictJsonReader json;

    @Inject
    RequestMemory memory;

    @Inject
    Configuration configuration;

    @POST
    @Audited("execution.rerun")
    public void rerun(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id,
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        ExecutionId original = RequestContexts.executionId(id);
        Optional<Long> wait = RequestParameters.preferredWait(
                headers.getRequestHeaders().getOrDefault("Prefer", List.of()),
                configuration.get(LimitSettings.MAX_WAIT).toSeconds());
        RerunRequest asked =
                RerunReader.read(original, json.read(headers, in), RequestParameters.idempotencyKey(idempotencyKey));
        memory.holdUntilDone(() -> reruns.submit(caller, original, asked))
                .thenAccept(receipt -> responder.respond(caller, receipt, wait, response))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }
}
