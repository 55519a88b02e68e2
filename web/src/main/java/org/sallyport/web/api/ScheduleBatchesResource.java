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
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleBatchStore;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.submission.BatchSubmissionResult;
import org.sallyport.submission.ScheduledBatchService;
import org.sallyport.submission.ScheduledRowsRefusedException;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** The batches of a schedule. */
@ApplicationScoped
@Path("schedules/{id}/batches")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ScheduleBatchesResource {
    private static final int DEFAULT_PAGE_SIZE = 25;
    private static final int MAX_PAGE_SIZE = 100;

    @Inject
    ScheduleStore schedules;

    @Inject
    ScheduleBatchStore store;

    @Inject
    ScheduledBatchService batches;

    @Inject
    BatchStateCounter counter;

    @Inject
    BatchFacade facade;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        Caller caller = RequestContexts.caller(request);
        Schedule schedule = SchedulesResource.find(schedules, caller, id);
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        Optional<BatchId> before = Cursor.decode(cursor).map(position -> new BatchId(position.value()));
        List<ScheduleBatchStore.ScheduleBatch> page =
                store.listBatches(caller.tenant(), schedule.id(), before, size + 1);
        boolean more = page.size() > size;
        List<ScheduleBatchStore.ScheduleBatch> shown = more ? page.subList(0, size) : page;
        return Response.ok(ExecutionMapper.list(
                        shown.stream().map(this::item).toList(),
                        more
                                ? Optional.of(Cursor.encode(new ExecutionId(
                                        shown.get(size - 1).batch().value())))
                                : Optional.empty()))
                .build();
    }

    private ObjectNode item(ScheduleBatchStore.ScheduleBatch batch) {
        return ExecutionMapper.object()
                .put("batch", batch.batch().toString())
                .put("at", batch.at().map(Instant::toString).orElse(null))
                .put("total", batch.size().total())
                .put("refused", batch.size().refused())
                .put("finished", BatchMapper.isFinished(counter.count(batch.batch())));
    }

    @POST
    @Audited("schedule.run")
    @RolesAllowed(Role.SUBMITTER)
    public Response run(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        Schedule schedule = requireBatches(SchedulesResource.find(schedules, caller, id));
        try {
            BatchSubmissionResult result = batches.runNow(caller, schedule);
            if (result instanceof BatchSubmissionResult.BatchAccepted accepted) {
                return Response.accepted(facade.showStored(
                                accepted.id(),
                                () -> facade.show(caller, accepted.id().toString())))
                        .location(URI.create("/api/v1/batches/" + accepted.id()))
                        .build();
            }
            throw new ProblemException(BatchFacade.problem(result));
        } catch (ScheduledRowsRefusedException e) {
            throw new ProblemException(ProblemType.VALIDATION, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns the schedule.
     *
     * @throws ProblemException if it submits no batches
     */
    static Schedule requireBatches(Schedule schedule) {
        if (!schedule.runsBatch()) {
            throw new ProblemException(
                    ProblemType.VALIDATION, "the schedule has no member 'batch': it runs single executions");
        }
        return schedule;
    }
}
