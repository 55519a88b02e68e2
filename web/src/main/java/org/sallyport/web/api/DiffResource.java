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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.OutputKind;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalSize;
import org.sallyport.journal.TraceEvent;
import org.sallyport.journal.TracePager;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.RolesAllowed;

/** Compares two executions. */
@ApplicationScoped
@Path("executions/{id}/diff")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class DiffResource {
    private static final long MAX_BYTES = 4L << 20;

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
                readTrace(execution),
                store.readOutput(execution.id(), OutputKind.OUT, 0, ExecutionResponder.MAX_OUTPUT_CHARS),
                store.readOutput(execution.id(), OutputKind.ERR, 0, ExecutionResponder.MAX_OUTPUT_CHARS));
    }

    /** Both traces are in memory at the same time. */
    private List<TraceEvent> readTrace(Execution execution) {
        TraceRedactor shown =
                new TraceRedactor(redactions.redactorFor(execution.summary().tenant()));
        List<TraceEvent> events = new ArrayList<>();
        long bytes = 0;
        TracePager pager = new TracePager(journal::readTrace, execution.id());
        for (List<TraceEvent> page = pager.nextPage(); !page.isEmpty(); page = pager.nextPage()) {
            bytes += JournalSize.ofEntries(page);
            if (bytes > MAX_BYTES) {
                throw new ProblemException(
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "the trace of " + execution.id() + " has more than " + MAX_BYTES
                                + " bytes, too many to compare; read both traces in pages");
            }
            page.stream().map(shown::redact).forEach(events::add);
        }
        return events;
    }
}
