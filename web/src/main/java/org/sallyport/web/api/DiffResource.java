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
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.OutputKind;
import org.sallyport.journal.Journal;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.web.security.RolesAllowed;

/** Compares two executions. */
@ApplicationScoped
@Path("executions/{id}/diff")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class DiffResource {
    @Inject
    ExecutionResponder responder;

    @Inject
    ExecutionStore store;

    @Inject
    Journal journal;

    @Inject
    RedactionProvider redactions;

    @GET
    public Response diff(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("with") @Nullable String with) {
        Caller caller = RequestContexts.caller(request);
        if (with == null || with.isEmpty()) {
            throw RequestParameters.invalidParameter("with", "is missing: the execution to compare with");
        }
        Execution one = responder.find(caller, RequestContexts.executionId(id));
        Execution other = responder.find(caller, RequestContexts.executionId(with));
        return Response.ok(ExecutionDiff.compare(comparedExecution(one), comparedExecution(other)))
                .build();
    }

    private ExecutionDiff.ComparedExecution comparedExecution(Execution execution) {
        return new ExecutionDiff.ComparedExecution(
                execution,
                journal.readEntries(execution.id()).stream()
                        .map(new TraceRedactor(
                                redactions.redactorFor(execution.summary().tenant()))::redact)
                        .toList(),
                store.readOutput(execution.id(), OutputKind.OUT, 0, ExecutionResponder.MAX_OUTPUT_CHARS),
                store.readOutput(execution.id(), OutputKind.ERR, 0, ExecutionResponder.MAX_OUTPUT_CHARS));
    }
}
