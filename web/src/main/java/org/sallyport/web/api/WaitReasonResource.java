package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;
import org.sallyport.submission.JobDispatcher;
import org.sallyport.web.security.RolesAllowed;

/** The reason why an execution has not ended. */
@ApplicationScoped
@Path("executions/{id}/why")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class WaitReasonResource {
    private static final int MAX_HOLDERS = 100;

    @Inject
    ExecutionStore store;

    @Inject
    BatchStore batches;

    @Inject
    NodeStore nodes;

    @Inject
    JobDispatcher dispatcher;

    @Inject
    ExecutionResponder responder;

    @GET
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        Execution execution = responder.find(caller, RequestContexts.executionId(id));
        ObjectNode json = ExecutionMapper.object()
                .put("id", execution.id().toString())
                .put("state", execution.state().name());
        if (execution.state() == ExecutionState.PENDING) {
            describePending(caller, execution, json);
        } else if (execution.state() == ExecutionState.CANCELLED) {
            json.put("reason", "cancelled");
        } else if (hasPassedDeadline(execution)) {
            json.put("reason", "deadline");
        } else if (execution.state().isTerminal()) {
            json.put("reason", "ended");
        } else if (execution.cancelRequested()) {
            json.put("reason", "cancelling");
        } else if (execution.suspension().isPresent()) {
            var pause = execution.suspension().get();
            json.put("reason", pause.reason())
                    .put("since", pause.since().toString())
                    .put("until", pause.until().toString());
        } else {
            json.put("reason", "running");
        }
        ExecutionMapper.cancellation(execution).ifPresent(shown -> json.set("cancellation", shown));
        execution.admission().deadline().ifPresent(deadline -> json.put("deadline", deadline.toString()));
        RetryMapper.addAttempt(json, execution);
        json.put("submittedBy", execution.summary().submitter());
        return Response.ok(json).build();
    }

    private static boolean hasPassedDeadline(Execution execution) {
        Optional<Instant> end = execution.summary().finishedAt();
        return execution.state() == ExecutionState.TIMED_OUT
                && execution.admission().deadline().isPresent()
                && end.isPresent()
                && !end.get().isBefore(execution.admission().deadline().get());
    }

    /** Describes the delay before another attempt, and the failure that is its cause. */
    private void describeRetry(Caller caller, ExecutionId previous, Instant until, ObjectNode json) {
        json.put("reason", "retry").put("until", until.toString());
        store.find(caller.tenant(), previous)
                .flatMap(Execution::error)
                .ifPresent(error -> json.set("error", ExecutionMapper.error(error)));
    }

    private void describePending(Caller caller, Execution execution, ObjectNode json) {
        Optional<Instant> later = execution.admission().notBefore().filter(Instant.now()::isBefore);
        List<ExecutionId> holders = execution.admission().concurrencyKey().isPresent() && later.isEmpty()
                ? store.findTurnHolders(caller.tenant(), execution.id())
                : List.of();
        Optional<ExecutionId> previous = execution.retry().flatMap(RetryPolicy.RetryStatus::previous);
        Optional<BatchId> batch = execution.summary().batch();
        if (batch.isPresent() && batches.isQueued(batch.get(), execution.id())) {
            json.put("reason", "batch").put("batch", batch.get().toString());
        } else if (later.isPresent() && previous.isPresent()) {
            describeRetry(caller, previous.get(), later.get(), json);
        } else if (later.isPresent()) {
            json.put("reason", "scheduled").put("until", later.get().toString());
        } else if (!holders.isEmpty()) {
            json.put("reason", "concurrency-key");
            holders.stream().limit(MAX_HOLDERS).map(ExecutionId::toString).forEach(json.putArray("heldBy")::add);
        } else if (nodes.list().stream().allMatch(NodeLease::expired)) {
            json.put("reason", "no-worker");
        } else if (dispatcher.isQueued(caller.tenant(), execution.id())) {
            json.put("reason", "tenant-share");
        } else {
            json.put("reason", "queue");
        }
        if (later.isEmpty()) {
            store.queuePosition(caller.tenant(), execution.id()).ifPresent(position -> json.put("position", position));
        }
        json.put("since", execution.summary().createdAt().toString());
    }
}
