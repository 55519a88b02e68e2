package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import org.sallyport.journal.DryRunPlan;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.secrets.SecretVault;
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
    SecretVault vault;

    @GET
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        String tenant = RequestContexts.caller(request).tenant();
        return plans.find(tenant, RequestContexts.executionId(id))
                .map(listed -> Response.ok(plan(listed, new TraceRedactor(vault.redactorFor(tenant))))
                        .build())
                .orElseThrow(() -> RequestContexts.executionNotFound(id));
    }

    private static ObjectNode plan(PlanService.PlanSnapshot listed, TraceRedactor shown) {
        ObjectNode json = ExecutionMapper.object();
        json.put("id", listed.dryRun().toString());
        json.put("state", listed.state().name());
        json.put("approvable", listed.complete());
        var steps = json.putArray("effects");
        for (DryRunPlan.PlanStep step : listed.plan().steps()) {
            ObjectNode each = steps.addObject();
            each.put("call", step.call());
            each.put("tool", step.effect().tool().toString());
            each.set("args", ExecutionMapper.raw(shown.redact(step.effect().arguments())));
            each.put("rule", step.rule());
            each.put("asks", step.needsApproval());
            step.result().ifPresent(answer -> each.set("answer", ExecutionMapper.raw(shown.redact(answer))));
        }
        return json;
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
