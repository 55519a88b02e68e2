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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.journal.Plan;
import org.sallyport.runner.WithoutSecrets;
import org.sallyport.secret.Vault;
import org.sallyport.submission.Plans;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;

/** What dry runs would have changed. A plan has the id of its dry run. */
@ApplicationScoped
@Path("plans/{id}")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class PlansResource {
    @Inject
    Plans plans;

    @Inject
    ExecutionAnswers answers;

    @Inject
    Configuration configuration;

    @Inject
    Vault vault;

    @GET
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        String tenant = Requests.caller(request).tenant();
        return plans.find(tenant, Requests.execution(id))
                .map(listed -> Response.ok(plan(listed, new WithoutSecrets(vault.redaction(tenant))))
                        .build())
                .orElseThrow(() -> Requests.noExecution(id));
    }

    private static ObjectNode plan(Plans.Listed listed, WithoutSecrets shown) {
        ObjectNode json = Representation.object();
        json.put("id", listed.dryRun().toString());
        json.put("state", listed.state().name());
        json.put("approvable", listed.whole());
        var steps = json.putArray("effects");
        for (Plan.Step step : listed.plan().steps()) {
            ObjectNode each = steps.addObject();
            each.put("call", step.call());
            each.put("tool", step.effect().tool().toString());
            each.set("args", Representation.raw(shown.of(step.effect().arguments())));
            each.put("rule", step.rule());
            each.put("asks", step.asks());
            step.answer().ifPresent(answer -> each.set("answer", Representation.raw(shown.of(answer))));
        }
        return json;
    }

    /** The script runs for real, once, and is held to the plan. */
    @POST
    @Audited("plan.approve")
    @Path("approve")
    @Allowed(Role.APPROVER)
    public void approve(
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        Optional<Long> wait = Parameters.preferredWait(
                headers.getRequestHeaders().getOrDefault("Prefer", List.of()),
                configuration.get(LimitSettings.WAIT).toSeconds());
        plans.approve(caller, Requests.execution(id))
                .thenAccept(receipt -> answers.answer(caller, receipt, wait, response))
                .whenComplete(ExecutionAnswers.fail(response));
    }
}
