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
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.runner.CancellationService;
import org.sallyport.submission.BatchService;
import org.sallyport.submission.BatchSubmissionResult;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
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
    private static final int DEFAULT_PAGE_SIZE = 25;
    private static final int MAX_PAGE_SIZE = 100;

    @Inject
    BatchService batches;

    @Inject
    BatchStore store;

    @Inject
    BatchReader reader;

    @Inject
    CancellationService canceller;

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
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey) {
        Caller caller = RequestContexts.caller(request);
        Optional<String> key = RequestParameters.idempotencyKey(idempotencyKey);
        BatchReader.BatchOptions options = new BatchReader.BatchOptions(
                atomic, maxParallel, onFailure, shareReads, capability, version, integrity);
        try (SpooledBody body = reader.spool(headers, in)) {
            Optional<IdempotencyKey> idempotency =
                    key.map(text -> BatchReader.idempotencyKey(headers, options, body, text));
            // First, because a capability that the request names may have changed since.
            return respond(
                    caller,
                    idempotency
                            .flatMap(known -> batches.findEarlier(caller, known))
                            .orElseGet(() ->
                                    batches.submit(caller, reader.read(caller, headers, options, body, idempotency))));
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
                                .map(batch -> BatchMapper.batch(batch, store.countByState(batch.id())))
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
        return respond(caller, batches.retry(caller, find(caller, id).id()));
    }

    private Response respond(Caller caller, BatchSubmissionResult receipt) {
        if (!(receipt instanceof BatchSubmissionResult.BatchAccepted accepted)) {
            throw new ProblemException(problem(receipt));
        }
        Batch batch = find(caller, accepted.id().toString());
        ObjectNode json = BatchMapper.batch(batch, store.countByState(batch.id()));
        var items = json.putArray("items");
        List<BatchItem> page;
        int last = -1;
        do {
            page = store.listItems(batch.id(), last, DEFAULT_ITEM_PAGE_SIZE);
            page.forEach(item -> items.add(BatchMapper.verdict(item)));
            last += page.size();
        } while (page.size() == DEFAULT_ITEM_PAGE_SIZE);
        Response.ResponseBuilder response =
                Response.accepted(json).location(URI.create("/api/v1/batches/" + batch.id()));
        return (accepted.replayed() ? response.header("Idempotent-Replayed", "true") : response).build();
    }

    private static Problem problem(BatchSubmissionResult receipt) {
        if (receipt instanceof BatchSubmissionResult.RefusedAsSubmission one) {
            return SubmissionProblems.toProblem(one.refusal());
        } else if (receipt instanceof BatchSubmissionResult.WrongBatchSize size) {
            return size.count() == 0
                    ? Problem.of(ProblemType.VALIDATION, "the batch has no items")
                    : Problem.of(
                            ProblemType.PAYLOAD_TOO_LARGE,
                            "the batch has more than " + size.max() + " items",
                            members -> members.put("member", "items").put("limit", size.max()));
        } else if (receipt instanceof BatchSubmissionResult.BatchRefused refused) {
            return Problem.of(
                    ProblemType.BATCH_REFUSED,
                    refused.problems().size() + " of the items cannot be accepted, and the batch is atomic",
                    members -> refused.problems().forEach((index, problem) -> {
                        ObjectNode item = members.withArray("items").addObject().put("index", index);
                        item.set("problem", ExecutionMapper.raw(problem));
                    }));
        } else if (receipt instanceof BatchSubmissionResult.BatchServiceBusy) {
            return Problem.of(ProblemType.RATE_LIMITED, "other batches are being stored; try again shortly");
        } else if (receipt instanceof BatchSubmissionResult.NoFailedItems) {
            return Problem.of(ProblemType.NOTHING_TO_RETRY, "no execution of the batch has failed");
        }
        return Problem.of(ProblemType.NOT_FOUND, "there is no such batch");
    }

    @GET
    @Path("{id}")
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        Batch batch = find(RequestContexts.caller(request), id);
        return Response.ok(BatchMapper.batch(batch, store.countByState(batch.id())))
                .build();
    }

    @GET
    @Path("{id}/items")
    public Response items(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        Batch batch = find(RequestContexts.caller(request), id);
        int size = (int) Math.min(
                MAX_ITEM_PAGE_SIZE,
                RequestParameters.longInRange("limit", limit, DEFAULT_ITEM_PAGE_SIZE, 1, Integer.MAX_VALUE));
        List<BatchItem> page = store.listItems(batch.id(), Cursor.decodeIndex(cursor), size + 1);
        boolean more = page.size() > size;
        List<BatchItem> shown = more ? page.subList(0, size) : page;
        return Response.ok(ExecutionMapper.list(
                        shown.stream().map(BatchMapper::item).toList(),
                        more
                                ? Optional.of(
                                        Cursor.encodeIndex(shown.get(size - 1).index()))
                                : Optional.empty()))
                .build();
    }

    @POST
    @Audited("batch.cancel")
    @Path("{id}/cancel")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    public Response cancel(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = RequestContexts.caller(request);
        Batch batch = find(caller, id);
        store.cancelNotRunning(caller.tenant(), batch.id())
                .forEach(execution -> canceller.cancel(caller.tenant(), execution));
        return Response.accepted(BatchMapper.batch(find(caller, id), store.countByState(batch.id())))
                .build();
    }

    private Batch find(Caller caller, String id) {
        return find(store, caller, id);
    }

    /**
     * The caller's batch.
     *
     * @throws ProblemException if there is none with this id
     */
    static Batch find(BatchStore store, Caller caller, String id) {
        return BatchId.parse(id)
                .flatMap(batch -> store.find(caller.tenant(), batch))
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND, "there is no batch '" + RequestContexts.abbreviate(id) + "'"));
    }
}
