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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.OutputKind;
import org.sallyport.journal.Journal;
import org.sallyport.runner.WithoutSecrets;
import org.sallyport.secret.Hidden;
import org.sallyport.web.security.Allowed;

/** Says in what two executions differ. */
@ApplicationScoped
@Path("executions/{id}/diff")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class DiffResource {
    @Inject
    ExecutionAnswers answers;

    @Inject
    ExecutionStore store;

    @Inject
    Journal journal;

    @Inject
    Hidden hidden;

    @GET
    public Response diff(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("with") @Nullable String with) {
        Caller caller = Requests.caller(request);
        if (with == null || with.isEmpty()) {
            throw Parameters.fault("with", "is missing: the execution to compare with");
        }
        Execution one = answers.find(caller, Requests.execution(id));
        Execution other = answers.find(caller, Requests.execution(with));
        return Response.ok(RunDiff.of(side(one), side(other))).build();
    }

    private RunDiff.Side side(Execution execution) {
        return new RunDiff.Side(
                execution,
                journal.recording(execution.id()).stream()
                        .map(new WithoutSecrets(hidden.of(execution.summary().tenant()))::of)
                        .toList(),
                store.output(execution.id(), OutputKind.OUT, 0, ExecutionAnswers.OUTPUT_CHARS),
                store.output(execution.id(), OutputKind.ERR, 0, ExecutionAnswers.OUTPUT_CHARS));
    }
}
