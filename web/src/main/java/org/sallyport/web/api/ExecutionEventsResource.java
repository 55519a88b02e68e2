package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.CallerRevalidator;
import org.sallyport.auth.Role;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.journal.Journal;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.runner.CancellationService;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.ClientConnection;
import org.sallyport.web.async.RetryingTask;
import org.sallyport.web.async.StreamRegistry;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.security.RoleFilter;
import org.sallyport.web.security.RolesAllowed;

/** The event stream of an execution. */
@ApplicationScoped
@Path("executions/{id}/events")
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ExecutionEventsResource {
    /** The roles that may cancel an execution, as {@link ExecutionsResource#cancel} has them. */
    static final Set<Role> CANCELLING_ROLES = Set.of(Role.SUBMITTER, Role.OPERATOR, Role.ADMIN);

    @Inject
    ExecutionStore store;

    @Inject
    Journal journal;

    @Inject
    NestedExecutionStore nested;

    @Inject
    CompletionWaiter waiter;

    @Inject
    RedactionProvider redactions;

    @Inject
    StreamRegistry streams;

    @Inject
    CancellationService canceller;

    @Inject
    RetryingTask retryingTask;

    @Inject
    CallerRevalidator revalidator;

    @Inject
    AuditRecorder auditRecorder;

    @GET
    @Produces("text/event-stream")
    public void events(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("after") @Nullable String after,
            @QueryParam("outputOffset") @Nullable String outputOffset,
            @QueryParam("errorOffset") @Nullable String errorOffset,
            @QueryParam("cancelOnClose") @Nullable String cancelOnClose,
            @HeaderParam("Last-Event-ID") @Nullable String lastEventId,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        EventPosition from = EventPosition.of(lastEventId);
        if (from == null) {
            from = EventPosition.from(
                    RequestParameters.longInRange("after", after, 0, 0, Long.MAX_VALUE),
                    RequestParameters.longInRange("outputOffset", outputOffset, 0, 0, Long.MAX_VALUE),
                    RequestParameters.longInRange("errorOffset", errorOffset, 0, 0, Long.MAX_VALUE));
        }
        boolean cancels = RequestParameters.flag("cancelOnClose", cancelOnClose);
        if (cancels && !RoleFilter.hasAnyRole(caller, CANCELLING_ROLES)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN, "cancelOnClose: " + RoleFilter.missingRoleDetail(CANCELLING_ROLES));
        }
        ExecutionId execution = RequestContexts.executionId(id);
        if (store.pollVersion(caller.tenant(), execution).isEmpty()) {
            throw RequestContexts.executionNotFound(id);
        }
        if (from.isEnd()) {
            // A browser that has received the end would reconnect without this response.
            response.resume(Response.noContent().build());
        } else if (cancels && !request.getMethod().equals("HEAD")) {
            openCancelling(request, caller, execution, from);
        } else {
            streams.respond(request, caller, response, eventStream(caller, execution, from));
        }
    }

    /** Opens a stream whose end cancels the execution, and records this before. */
    private void openCancelling(HttpServletRequest request, Caller caller, ExecutionId execution, EventPosition from) {
        StreamRegistry.StreamPermit permit = streams.acquire(caller);
        try {
            auditRecorder.auditDone(request, caller, "execution.cancel-on-close", execution.toString());
        } catch (RuntimeException e) {
            permit.release();
            throw e;
        }
        streams.open(
                ClientConnection.of(request.getAsyncContext()),
                permit,
                eventStream(caller, execution, from),
                onDisconnect(caller, execution, true));
    }

    /**
     * Submits an execution and answers with its event stream.
     *
     * @param cancelOnClose whether to cancel the execution if the client disconnects before it has ended
     */
    void streamSubmission(
            Caller caller,
            AsyncContext context,
            Supplier<CompletionStage<SubmissionResult>> submission,
            boolean cancelOnClose,
            AsyncResponse response) {
        // Acquired before the submission, so that no submission is accepted that cannot be answered with a stream.
        StreamRegistry.StreamPermit ticket = streams.acquire(caller);
        ClientConnection line = ClientConnection.of(context);
        submitOrRelease(submission, ticket)
                .thenAccept(receipt -> {
                    if (!(receipt instanceof SubmissionResult.SubmissionAccepted accepted)) {
                        throw new ProblemException(SubmissionProblems.toProblem(receipt));
                    }
                    HttpServletResponse answer = (HttpServletResponse) context.getResponse();
                    answer.setHeader("Location", "/api/v1/executions/" + accepted.id());
                    if (accepted.replayed()) {
                        answer.setHeader("Idempotent-Replayed", "true");
                    }
                    streams.open(
                            line,
                            ticket,
                            eventStream(caller, accepted.id(), EventPosition.from(0, 0, 0)),
                            onDisconnect(caller, accepted.id(), cancelOnClose));
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        ticket.release();
                    }
                    ExecutionResponder.resumeOnFailure(response).accept(done, failure);
                });
    }

    /**
     * Returns what to do when the client disconnects: cancel the execution, if it asked for that. Retries while the
     * store is unavailable. If the node dies or the caller's key is revoked before, the execution continues.
     */
    private Runnable onDisconnect(Caller caller, ExecutionId execution, boolean cancels) {
        return cancels
                ? () -> retryingTask.runWithRetries(
                        "cancel execution " + execution + ", whose event stream was closed",
                        () -> cancelIfStillAllowed(caller, execution),
                        () -> {})
                : () -> {};
    }

    private void cancelIfStillAllowed(Caller caller, ExecutionId execution) {
        if (revalidator.isStillValid(caller)) {
            canceller.cancel(
                    caller.tenant(),
                    execution,
                    CancelRequest.by(caller.id(), Optional.of("the client left the event stream")));
        }
    }

    private static CompletionStage<SubmissionResult> submitOrRelease(
            Supplier<CompletionStage<SubmissionResult>> submission, StreamRegistry.StreamPermit ticket) {
        try {
            return submission.get();
        } catch (RuntimeException e) {
            ticket.release();
            throw e;
        }
    }

    private ExecutionEventStream eventStream(Caller caller, ExecutionId execution, EventPosition from) {
        return new ExecutionEventStream(store, journal, nested, waiter, redactions, caller.tenant(), execution, from);
    }
}
