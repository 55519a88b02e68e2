package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.submission.BatchSubmissionResult;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.RolesAllowed;

/** Batches: submit, show, list, cancel, retry. */
@ApplicationScoped
@Path("batches")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class BatchesResource {
    private static final int DEFAULT_ITEM_PAGE_SIZE = 1_000;
    private static final int MAX_ITEM_PAGE_SIZE = 1_000;
    private static final int MAX_RESULT_PAGE_SIZE = 100;
    private static final int MAX_ITEM_PAGE_BYTES = 1 << 20;
    private static final int DEFAULT_PAGE_SIZE = 25;
    private static final int MAX_PAGE_SIZE = 100;

    @Inject
    BatchFacade facade;

    @Inject
    BatchReader reader;

    @Inject
    BatchStore store;

    @Inject
    BatchStateCounter counter;

    @Inject
    StrictJsonReader json;

    @POST
    @Unaudited("The batch itself says who submitted it, and so does each of its executions.")
    @RolesAllowed(Role.SUBMITTER)
    public Response submit(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @QueryParam("atomic") @Nullable String atomic,
            @QueryParam("maxParallel") @Nullable String maxParallel,
            @QueryParam("onFailure") @Nullable String onFailure,
            @QueryParam("shareReads") @Nullable String shareReads,
            @QueryParam("capability") @Nullable String capability,
            @QueryParam("version") @Nullable String version,
            @QueryParam("integrity") @Nullable String integrity,
            @QueryParam("coalesce") @Nullable String coalesce,
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey) {
        Caller caller = RequestContexts.caller(request);
        Optional<String> key = RequestParameters.idempotencyKey(idempotencyKey);
        QueryBatchOptions options = new QueryBatchOptions(
                atomic, maxParallel, onFailure, shareReads, capability, version, integrity, coalesce);
        BatchFormat format = BatchFormat.of(headers.getMediaType());
        try (SpooledBody body = reader.spool(caller, in)) {
            return respond(caller, facade.submit(caller, format, options, body, key));
        }
    }

    @POST
    @Unaudited("It changes nothing.")
    @Path("validate")
    @RolesAllowed(Role.SUBMITTER)
    public Response validate(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @QueryParam("capability") @Nullable String capability,
            @QueryParam("version") @Nullable String version,
            @QueryParam("integrity") @Nullable String integrity,
            @QueryParam("coalesce") @Nullable String coalesce) {
        QueryBatchOptions options =
                new QueryBatchOptions(null, null, null, null, capability, version, integrity, coalesce);
        Caller caller = RequestContexts.caller(request);
        try (SpooledBody body = reader.spool(caller, in)) {
            return Response.ok(facade.validate(caller, BatchFormat.of(headers.getMediaType()), options, body))
                    .build();
        }
    }

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        Optional<BatchId> before = Cursor.decode(cursor).map(id -> new BatchId(id.value()));
        List<Batch> page = store.list(RequestContexts.caller(request).tenant(), before, size + 1);
        boolean more = page.size() > size;
        List<Batch> shown = more ? page.subList(0, size) : page;
        return Response.ok(ExecutionMapper.list(
                        shown.stream()
                                .map(batch -> BatchMapper.batch(batch, counter.count(batch.id())))
                                .toList(),
                        more
                                ? Optional.of(Cursor.encode(
                                        new ExecutionId(shown.get(size - 1).id().value())))
                                : Optional.empty()))
                .build();
    }

    @POST
    @Audited("batch.retry")
    @Path("{id}/retry")
    @RolesAllowed(Role.SUBMITTER)
    public Response retry(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        return respond(caller, facade.retry(caller, facade.find(caller, id).id()));
    }

    private Response respond(Caller caller, BatchSubmissionResult.BatchAccepted accepted) {
        return facade.showStored(accepted.id(), () -> show(caller, accepted));
    }

    private Response show(Caller caller, BatchSubmissionResult.BatchAccepted accepted) {
        Batch batch = facade.find(caller, accepted.id().toString());
        ObjectNode shown = facade.show(batch);
        var items = shown.putArray("items");
        List<BatchItem> page;
        int last = -1;
        do {
            page = store.listItems(batch.id(), last, DEFAULT_ITEM_PAGE_SIZE);
            page.forEach(item -> items.add(BatchMapper.verdict(item)));
            last += page.size();
        } while (page.size() == DEFAULT_ITEM_PAGE_SIZE);
        Response.ResponseBuilder response =
                Response.accepted(shown).location(URI.create("/api/v1/batches/" + batch.id()));
        return (accepted.replayed() ? response.header("Idempotent-Replayed", "true") : response).build();
    }

    @GET
    @Path("{id}")
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        return Response.ok(facade.show(RequestContexts.caller(request), id)).build();
    }

    @GET
    @Path("{id}/items")
    public Response items(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("unsuccessful") @Nullable String unsuccessful,
            @QueryParam("results") @Nullable String results,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        boolean withResults = RequestParameters.flag("results", results);
        int maxSize = withResults ? MAX_RESULT_PAGE_SIZE : MAX_ITEM_PAGE_SIZE;
        int size =
                (int) Math.min(maxSize, RequestParameters.longInRange("limit", limit, maxSize, 1, Integer.MAX_VALUE));
        return Response.ok(facade.items(
                        RequestContexts.caller(request),
                        id,
                        new BatchItemQuery(
                                RequestParameters.flag("unsuccessful", unsuccessful),
                                withResults,
                                size,
                                MAX_ITEM_PAGE_BYTES,
                                Integer.MAX_VALUE,
                                cursor)))
                .build();
    }

    @POST
    @Audited("batch.cancel")
    @Path("{id}/cancel")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    public Response cancel(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Optional<String> reason = CancelReasonReader.read(json, headers, in);
        reason.ifPresent(text -> AuditRecorder.addNote(request, text));
        return Response.accepted(facade.cancel(RequestContexts.caller(request), id, reason))
                .build();
    }
}
