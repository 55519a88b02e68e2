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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.runner.Canceller;
import org.sallyport.submission.BatchReceipt;
import org.sallyport.submission.Batches;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.Allowed;

/** Batches: submit, look, cancel, retry. */
@ApplicationScoped
@Path("batches")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class BatchesResource {
    private static final int PAGE = 1_000;
    private static final int LARGEST_PAGE = 1_000;
    private static final int LIST = 25;
    private static final int LARGEST_LIST = 100;

    @Inject
    Batches batches;

    @Inject
    BatchStore store;

    @Inject
    BatchReader reader;

    @Inject
    Canceller canceller;

    @POST
    @Unaudited("The batch itself says who submitted it, and so does each of its executions.")
    @Allowed(Role.SUBMITTER)
    public Response submit(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @QueryParam("atomic") @Nullable String atomic,
            @QueryParam("maxParallel") @Nullable String maxParallel,
            @QueryParam("onFailure") @Nullable String onFailure,
            @QueryParam("shareReads") @Nullable String shareReads,
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey) {
        Caller caller = Requests.caller(request);
        Optional<String> key = Parameters.idempotencyKey(idempotencyKey);
        try (Spool body = reader.spool(headers, in)) {
            return answer(
                    caller,
                    batches.accept(
                            caller,
                            reader.read(
                                    headers,
                                    new BatchReader.Options(atomic, maxParallel, onFailure, shareReads),
                                    body,
                                    key)));
        }
    }

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(LARGEST_LIST, Parameters.whole("limit", limit, LIST, 1, Integer.MAX_VALUE));
        Optional<BatchId> before = Cursor.decode(cursor).map(id -> new BatchId(id.value()));
        List<Batch> page = store.list(Requests.caller(request).tenant(), before, size + 1);
        boolean more = page.size() > size;
        List<Batch> shown = more ? page.subList(0, size) : page;
        return Response.ok(Representation.list(
                        shown.stream()
                                .map(batch -> BatchRepresentation.batch(batch, store.counts(batch.id())))
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
    @Allowed(Role.SUBMITTER)
    public Response retry(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = Requests.caller(request);
        return answer(caller, batches.retry(caller, find(caller, id).id()));
    }

    private Response answer(Caller caller, BatchReceipt receipt) {
        if (!(receipt instanceof BatchReceipt.Accepted accepted)) {
            throw new ProblemException(problem(receipt));
        }
        Batch batch = find(caller, accepted.id().toString());
        ObjectNode json = BatchRepresentation.batch(batch, store.counts(batch.id()));
        var items = json.putArray("items");
        List<BatchItem> page;
        int last = -1;
        do {
            page = store.items(batch.id(), last, PAGE);
            page.forEach(item -> items.add(BatchRepresentation.verdict(item)));
            last += page.size();
        } while (page.size() == PAGE);
        Response.ResponseBuilder response =
                Response.accepted(json).location(URI.create("/api/v1/batches/" + batch.id()));
        return (accepted.replayed() ? response.header("Idempotent-Replayed", "true") : response).build();
    }

    private static Problem problem(BatchReceipt receipt) {
        if (receipt instanceof BatchReceipt.AsOne one) {
            return ReceiptProblems.of(one.refusal());
        } else if (receipt instanceof BatchReceipt.WrongSize size) {
            return size.count() == 0
                    ? Problem.of(ProblemType.VALIDATION, "the batch has no items")
                    : Problem.of(
                            ProblemType.PAYLOAD_TOO_LARGE,
                            "the batch has more than " + size.most() + " items",
                            members -> members.put("member", "items").put("limit", size.most()));
        } else if (receipt instanceof BatchReceipt.Refused refused) {
            return Problem.of(
                    ProblemType.BATCH_REFUSED,
                    refused.problems().size() + " of the items cannot be accepted, and the batch is atomic",
                    members -> refused.problems().forEach((index, problem) -> {
                        ObjectNode item = members.withArray("items").addObject().put("index", index);
                        item.set("problem", Representation.raw(problem));
                    }));
        } else if (receipt instanceof BatchReceipt.Busy) {
            return Problem.of(ProblemType.RATE_LIMITED, "other batches are being stored; try again shortly");
        } else if (receipt instanceof BatchReceipt.NothingFailed) {
            return Problem.of(ProblemType.NOTHING_TO_RETRY, "nothing of the batch has failed");
        }
        return Problem.of(ProblemType.NOT_FOUND, "there is no such batch");
    }

    @GET
    @Path("{id}")
    public Response get(@Context HttpServletRequest request, @PathParam("id") String id) {
        Batch batch = find(Requests.caller(request), id);
        return Response.ok(BatchRepresentation.batch(batch, store.counts(batch.id())))
                .build();
    }

    @GET
    @Path("{id}/items")
    public Response items(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        Batch batch = find(Requests.caller(request), id);
        int size = (int) Math.min(LARGEST_PAGE, Parameters.whole("limit", limit, PAGE, 1, Integer.MAX_VALUE));
        List<BatchItem> page = store.items(batch.id(), Cursor.decodeIndex(cursor), size + 1);
        boolean more = page.size() > size;
        List<BatchItem> shown = more ? page.subList(0, size) : page;
        return Response.ok(Representation.list(
                        shown.stream().map(BatchRepresentation::item).toList(),
                        more
                                ? Optional.of(
                                        Cursor.encodeIndex(shown.get(size - 1).index()))
                                : Optional.empty()))
                .build();
    }

    @POST
    @Audited("batch.cancel")
    @Path("{id}/cancel")
    @Allowed({Role.SUBMITTER, Role.OPERATOR})
    public Response cancel(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = Requests.caller(request);
        Batch batch = find(caller, id);
        store.cancelIdle(caller.tenant(), batch.id())
                .forEach(execution -> canceller.cancel(caller.tenant(), execution));
        return Response.accepted(BatchRepresentation.batch(find(caller, id), store.counts(batch.id())))
                .build();
    }

    private Batch find(Caller caller, String id) {
        return find(store, caller, id);
    }

    /** The caller's batch. */
    static Batch find(BatchStore store, Caller caller, String id) {
        return BatchId.parse(id)
                .flatMap(batch -> store.find(caller.tenant(), batch))
                .orElseThrow(() ->
                        new ProblemException(ProblemType.NOT_FOUND, "there is no batch '" + Requests.shown(id) + "'"));
    }
}
