package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.ExecutionId;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.submission.ScheduleRequest;
import org.sallyport.submission.ScheduleSaveResult;
import org.sallyport.submission.ScheduleService;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/**
 * Schedules: what runs automatically, and when. A schedule runs in the name of the caller that last wrote or resumed
 * it.
 */
@ApplicationScoped
@Path("schedules")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class SchedulesResource {
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;
    private static final int DEFAULT_NEXT_TIMES = 5;
    private static final int MAX_NEXT_TIMES = 100;
    private static final int MAX_REASON_LENGTH = 2_000;

    @Inject
    ScheduleService schedules;

    @Inject
    ScheduleStore store;

    @Inject
    ExecutionResponder responder;

    @Inject
    StrictJsonReader json;

    @Inject
    RequestMemory memory;

    @Inject
    Configuration configuration;

    @Inject
    BatchReader batchReader;

    @POST
    @Audited("schedule.create")
    @RolesAllowed(Role.SUBMITTER)
    public void create(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @Suspended AsyncResponse response) {
        Caller caller = requireKeyCaller(request);
        ScheduleRequest wanted = read(caller, headers, in);
        memory.holdUntilDone(() -> schedules.create(caller, wanted))
                .thenAccept(receipt -> {
                    Schedule stored = requireStored(caller, receipt);
                    response.resume(Response.created(URI.create(ScheduleMapper.path(stored)))
                            .entity(ScheduleMapper.details(stored))
                            .build());
                })
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    @PUT
    @Path("{id}")
    @Audited("schedule.change")
    @RolesAllowed(Role.SUBMITTER)
    public void replace(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id,
            @Suspended AsyncResponse response) {
        Caller caller = requireKeyCaller(request);
        ScheduleId which = find(caller, id).id();
        ScheduleRequest wanted = read(caller, headers, in);
        memory.holdUntilDone(() -> schedules.replace(caller, which, wanted))
                .thenAccept(
                        receipt -> response.resume(Response.ok(ScheduleMapper.details(requireStored(caller, receipt)))
                                .build()))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    private ScheduleRequest read(Caller caller, HttpHeaders headers, InputStream in) {
        JsonMembers body = new JsonMembers(json.read(headers, in));
        ScheduleRequest request = ScheduleReader.read(body);
        body.object(ScheduleReader.BATCH).ifPresent(options -> batchReader.checkRowOptions(caller, options));
        return request;
    }

    private Schedule requireStored(Caller caller, ScheduleSaveResult receipt) {
        if (receipt instanceof ScheduleSaveResult.ScheduleStored stored) {
            return find(caller, stored.id().toString());
        }
        throw new ProblemException(ScheduleMapper.problem(receipt));
    }

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        Optional<ScheduleId> before = Cursor.decode(cursor).map(id -> new ScheduleId(id.value()));
        String tenant = RequestContexts.caller(request).tenant();
        SchedulePage page = SchedulePage.read((last, count) -> store.list(tenant, last, count), before, size);
        return Response.ok(ExecutionMapper.list(
                        page.summaries(), page.next().map(id -> Cursor.encode(new ExecutionId(id.value())))))
                .build();
    }

    @GET
    @Path("{id}")
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        return Response.ok(ScheduleMapper.details(find(RequestContexts.caller(request), id)))
                .build();
    }

    @DELETE
    @Path("{id}")
    @Audited("schedule.delete")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    public Response delete(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        store.delete(caller.tenant(), find(caller, id).id());
        return Response.noContent().build();
    }

    @GET
    @Path("{id}/next")
    public Response next(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("count") @Nullable String count) {
        Schedule found = find(RequestContexts.caller(request), id);
        int times = (int) RequestParameters.longInRange("count", count, DEFAULT_NEXT_TIMES, 1, MAX_NEXT_TIMES);
        return Response.ok(ScheduleMapper.next(found, times, Instant.now())).build();
    }

    @GET
    @Path("{id}/executions")
    public Response executions(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        Schedule found = find(RequestContexts.caller(request), id);
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        List<ScheduleStore.ScheduleRun> page = store.listRuns(found.id(), Cursor.decode(cursor), size + 1);
        boolean more = page.size() > size;
        List<ScheduleStore.ScheduleRun> shown = more ? page.subList(0, size) : page;
        return Response.ok(ExecutionMapper.list(
                        shown.stream().map(ScheduleMapper::run).toList(),
                        more ? Optional.of(Cursor.encode(shown.get(size - 1).execution())) : Optional.empty()))
                .build();
    }

    @POST
    @Path("{id}/pause")
    @Audited("schedule.pause")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    public Response pause(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        Schedule found = find(caller, id);
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("reason"));
        store.pause(
                caller.tenant(),
                found.id(),
                body.text("reason", MAX_REASON_LENGTH).orElse(""));
        return Response.ok(ScheduleMapper.details(find(caller, id))).build();
    }

    @POST
    @Path("{id}/resume")
    @Audited("schedule.resume")
    @RolesAllowed(Role.SUBMITTER)
    public Response resume(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = requireKeyCaller(request);
        Schedule found = find(caller, id);
        if (found.pause().isPresent()) {
            store.resume(caller.tenant(), found.id(), caller.id());
        }
        return Response.ok(ScheduleMapper.details(find(caller, id))).build();
    }

    @POST
    @Path("{id}/run")
    @Audited("schedule.run")
    @RolesAllowed(Role.SUBMITTER)
    public void run(
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        Optional<Long> wait = RequestParameters.preferredWait(
                headers.getRequestHeaders().getOrDefault("Prefer", List.of()),
                configuration.get(LimitSettings.MAX_WAIT).toSeconds());
        Schedule found = find(caller, id);
        if (found.runsBatch()) {
            throw new ProblemException(
                    ProblemType.VALIDATION, "the schedule submits batches; run it with POST to its 'batches'");
        }
        schedules
                .runNow(caller, found)
                .thenAccept(receipt -> responder.respond(caller, receipt, wait, response))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    /**
     * The caller in whose name the schedule will run. It must have an API key, because the roles of a token's subject
     * are unknown when no token is present.
     *
     * @throws ProblemException if the caller came with a token or a certificate
     */
    static Caller requireKeyCaller(HttpServletRequest request) {
        Caller caller = RequestContexts.caller(request);
        if (caller.token().isPresent()) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "a schedule runs with the rights of an API key; a token or certificate identifies the caller of"
                            + " one request only; send a key");
        }
        return caller;
    }

    private Schedule find(Caller caller, String id) {
        return find(store, caller, id);
    }

    /**
     * The caller's schedule.
     *
     * @throws ProblemException if there is none with this id
     */
    static Schedule find(ScheduleStore store, Caller caller, String id) {
        return ScheduleId.parse(id)
                .flatMap(schedule -> store.find(caller.tenant(), schedule))
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND, "there is no schedule '" + RequestContexts.abbreviate(id) + "'"));
    }
}
