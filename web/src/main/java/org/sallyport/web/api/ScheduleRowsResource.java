package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.ScheduleSettings;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.schedule.ScheduleRowsStore;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.submission.BatchRequest;
import org.sallyport.submission.BatchService;
import org.sallyport.submission.BatchSubmissionResult;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** The file of rows of a schedule that submits batches. */
@ApplicationScoped
@Path("schedules/{id}/rows")
@Produces(MediaType.APPLICATION_JSON)
public class ScheduleRowsResource {
    @Inject
    ScheduleStore schedules;

    @Inject
    ScheduleRowsStore store;

    @Inject
    Configuration configuration;

    @Inject
    BatchReader reader;

    @Inject
    BatchService batches;

    @PUT
    @Audited("schedule.rows")
    @RolesAllowed(Role.SUBMITTER)
    public Response put(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Caller caller = SchedulesResource.requireKeyCaller(request);
        Schedule schedule = ScheduleBatchesResource.requireBatches(SchedulesResource.find(schedules, caller, id));
        String contentType = contentType(headers);
        try (SpooledBody body = reader.spoolRows(caller, in)) {
            BatchRequest rows = reader.read(
                    caller, BatchFormat.of(headers.getMediaType()), RowOptions.of(schedule), body, Optional.empty());
            BatchSubmissionResult result = batches.validate(caller, rows);
            if (!(result instanceof BatchSubmissionResult.BatchChecked checked)) {
                throw new ProblemException(BatchFacade.problem(result));
            }
            if (rows.atomic() && !checked.problems().isEmpty()) {
                throw new ProblemException(
                        BatchFacade.problem(new BatchSubmissionResult.BatchRefused(checked.problems())));
            }
            ScheduleRows stored = new ScheduleRows(
                    UUID.randomUUID(),
                    contentType,
                    body.size(),
                    body.sha256(),
                    checked.total(),
                    checked.problems().size(),
                    caller.id(),
                    Instant.now());
            BatchSubmissionResult kept = batches.inSubmissionSlot(() -> {
                store(caller, schedule, stored, body);
                return checked;
            });
            if (kept != checked) {
                throw new ProblemException(BatchFacade.problem(kept));
            }
            return Response.ok(BatchValidationMapper.toJson(rows, checked)).build();
        }
    }

    private void store(Caller caller, Schedule schedule, ScheduleRows rows, SpooledBody body) {
        long maxTenantBytes = configuration.get(ScheduleSettings.MAX_ROWS_BYTES_PER_TENANT);
        switch (store.putRows(schedule, rows, body.read(), maxTenantBytes)) {
            case STORED -> {}
            case CHANGED -> {
                // A deleted one is not found.
                SchedulesResource.find(schedules, caller, schedule.id().toString());
                throw new ProblemException(BatchFacade.problem(new BatchSubmissionResult.BatchSuperseded()));
            }
            case TOO_MANY_BYTES ->
                throw new ProblemException(
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "the files of rows of all schedules may have " + maxTenantBytes
                                + " bytes together (the server's " + ScheduleSettings.MAX_ROWS_BYTES_PER_TENANT.name()
                                + ")");
        }
    }

    /** The media type without parameters; the format of a batch requires UTF-8. */
    private static String contentType(HttpHeaders headers) {
        if (BatchFormat.of(headers.getMediaType()) == BatchFormat.JSON) {
            throw new ProblemException(
                    ProblemType.UNSUPPORTED_MEDIA_TYPE,
                    "rows come as 'text/csv', or as 'application/x-ndjson' with one JSON value in each line");
        }
        MediaType type = headers.getMediaType();
        return (type.getType() + "/" + type.getSubtype()).toLowerCase(Locale.ROOT);
    }
}
