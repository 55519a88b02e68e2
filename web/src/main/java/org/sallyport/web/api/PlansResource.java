package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Optional;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.submission.PlanService;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** Plans: the changes that dry runs would have made. A plan has the id of its dry run. */
@ApplicationScoped
@Path("plans/{id}")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class PlansResource {
    @Inject
    PlanService plans;

    @Inject
    ExecutionResponder responder;

    @Inject
    Configuration configuration;

    @Inject
    ExecutionDetails details;

    @GET
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        return Response.ok(details.plan(RequestContexts.caller(request), RequestContexts.executionId(id)))
                .build();
    }

    /** Approves the plan: the script runs once with real effects and must keep to the plan. */
    @POST
    @Audited("plan.approve")
    @Path("approve")
    @RolesAllowed(Role.APPROVER)
    public void approve(
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        Optional<Long> wait = RequestParameters.preferredWait(
                headers.getRequestHeaders().getOrDefault("Prefer", List.of()),
                configuration.get(LimitSettings.MAX_WAIT).toSeconds());
        plans.approve(caller, RequestContexts.executionId(id))
                .thenAccept(receipt -> responder.respond(caller, receipt, wait, response))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }
}
