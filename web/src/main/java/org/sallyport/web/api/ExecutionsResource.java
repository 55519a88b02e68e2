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
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.Cancellation;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.Waiting;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.runner.Canceller;
import org.sallyport.submission.Receipt;
import org.sallyport.submission.Reception;
import org.sallyport.submission.Submission;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Executions: submit, look, wait, list, cancel. One for all requests, since making one looks up every room it uses: what belongs to a
 * request comes as a parameter.
 */
@ApplicationScoped
@Path("executions")
@Produces(MediaType.APPLICATION_JSON)
public class ExecutionsResource {
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 200;
    private static final int TRACE_PAGE = 1_000;
    private static final int OUTPUT_CHARS = 1_000_000;
    private static final String ONE = "{id}";

    @Inject
    Reception reception;

    @Inject
    ExecutionStore store;

    @Inject
    Journal journal;

    @Inject
    Canceller canceller;

    @Inject
    Waiting waiting;

    @Inject
    StrictJson json;

    @Inject
    Configuration configuration;

    @POST
    public void submit(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        Optional<Long> wait = Parameters.preferredWait(
                headers.getRequestHeaders().getOrDefault("Prefer", List.of()), longestWaitSeconds());
        Optional<String> key = Parameters.idempotencyKey(idempotencyKey);
        StrictJson.Body body = json.read(headers, in);
        Submission submission =
                SubmissionReader.read(new Members(body.json()), key.map(text -> new Idempotency(text, body.sha256())));
        reception
                .accept(caller, submission)
                .thenAccept(receipt -> answer(caller, receipt, wait, response))
                .whenComplete(fail(response));
    }

    private void answer(Caller caller, Receipt receipt, Optional<Long> wait, AsyncResponse response) {
        if (!(receipt instanceof Receipt.Accepted accepted)) {
            throw new ProblemException(ReceiptProblems.of(receipt));
        }
        if (wait.isEmpty()) {
            response.resume(accepted(accepted, find(caller, accepted.id()), Response.Status.ACCEPTED));
            return;
        }
        // What was accepted just now may have ended, but not long ago: then the wait ends at once.
        long millis = accepted.replayed() && find(caller, accepted.id()).state().terminal() ? 0 : wait.get() * 1_000;
        waitFor(caller, accepted.id(), millis)
                .thenAccept(found -> response.resume(accepted(
                        accepted, found, found.state().terminal() ? Response.Status.OK : Response.Status.ACCEPTED)))
                .whenComplete(fail(response));
    }

    private Response accepted(Receipt.Accepted accepted, Execution now, Response.Status status) {
        Response.ResponseBuilder response = Response.status(status)
                .location(URI.create("/api/v1/executions/" + accepted.id()))
                .entity(represent(now, 0, 0));
        if (accepted.replayed()) {
            response.header("Idempotent-Replayed", "true");
        }
        return response.build();
    }

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("state") List<String> states,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(LARGEST_PAGE, Parameters.whole("limit", limit, PAGE, 1, Integer.MAX_VALUE));
        ExecutionFilter filter = new ExecutionFilter(Parameters.states(states));
        List<ExecutionSummary> page =
                store.list(Requests.caller(request).tenant(), filter, Cursor.decode(cursor), size + 1);
        boolean more = page.size() > size;
        List<ExecutionSummary> shown = more ? page.subList(0, size) : page;
        Optional<String> next =
                more ? Optional.of(Cursor.encode(shown.get(size - 1).id())) : Optional.empty();
        return Response.ok(Representation.list(
                        shown.stream().map(Representation::summary).toList(), next))
                .build();
    }

    @GET
    @Path(ONE)
    public void get(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("wait") @Nullable String wait,
            @QueryParam("outputOffset") @Nullable String outputOffset,
            @QueryParam("errorOffset") @Nullable String errorOffset,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        long seconds = Parameters.whole("wait", wait, 0, 0, longestWaitSeconds());
        long from = Parameters.whole("outputOffset", outputOffset, 0, 0, Long.MAX_VALUE);
        long errorFrom = Parameters.whole("errorOffset", errorOffset, 0, 0, Long.MAX_VALUE);
        Execution found = find(caller, Requests.execution(id));
        if (seconds == 0 || found.state().terminal()) {
            response.resume(Response.ok(represent(found, from, errorFrom)).build());
            return;
        }
        waitFor(caller, found.id(), seconds * 1_000)
                .thenAccept(now -> response.resume(
                        Response.ok(represent(now, from, errorFrom)).build()))
                .whenComplete(fail(response));
    }

    @GET
    @Path(ONE + "/code")
    @Produces({MediaType.TEXT_PLAIN, MediaType.APPLICATION_JSON})
    public Response code(@Context HttpServletRequest request, @PathParam("id") String id) {
        ExecutionId execution = Requests.execution(id);
        String code =
                store.code(Requests.caller(request).tenant(), execution).orElseThrow(() -> Requests.noExecution(id));
        ObjectNode body =
                Representation.object().put("id", execution.toString()).put("code", code);
        return Response.ok(body, MediaType.APPLICATION_JSON_TYPE).build();
    }

    @GET
    @Path(ONE + "/trace")
    public Response trace(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("after") @Nullable String after,
            @QueryParam("limit") @Nullable String limit) {
        Execution found = find(Requests.caller(request), Requests.execution(id));
        long from = Parameters.whole("after", after, 0, 0, Long.MAX_VALUE);
        int size = (int) Math.min(TRACE_PAGE, Parameters.whole("limit", limit, TRACE_PAGE, 1, Integer.MAX_VALUE));
        List<TraceEvent> events = journal.trace(found.id(), from, size);
        ObjectNode body = Representation.object();
        events.forEach(event -> body.withArray("events").add(Representation.event(event)));
        body.withArray("events");
        Long next = events.size() == size ? events.get(size - 1).seq() : null;
        body.put("next", next);
        return Response.ok(body).build();
    }

    @POST
    @Path(ONE + "/cancel")
    public Response cancel(@Context HttpServletRequest request, @PathParam("id") String id) {
        Caller caller = Requests.caller(request);
        ExecutionId execution = Requests.execution(id);
        Cancellation cancellation = canceller.cancel(caller.tenant(), execution);
        if (cancellation instanceof Cancellation.NotFound) {
            throw Requests.noExecution(id);
        } else if (cancellation instanceof Cancellation.AlreadyTerminal ended) {
            throw new ProblemException(Problem.of(
                    ProblemType.ALREADY_TERMINAL,
                    "the execution has already ended as " + ended.state(),
                    members -> members.put("state", ended.state().name())));
        }
        return Response.accepted(represent(find(caller, execution), 0, 0)).build();
    }

    private CompletionStage<Execution> waitFor(Caller caller, ExecutionId id, long millis) {
        return waiting.until(caller.tenant(), id, millis).thenApply(nothing -> find(caller, id));
    }

    private ObjectNode represent(Execution execution, long outputOffset, long errorOffset) {
        Representation.Output output = new Representation.Output(
                output(execution, OutputKind.OUT, outputOffset, execution.outputLength()),
                output(execution, OutputKind.ERR, errorOffset, execution.errorOutputLength()));
        OptionalLong position = execution.state() == ExecutionState.PENDING
                ? store.queuePosition(execution.summary().tenant(), execution.id())
                        .map(OptionalLong::of)
                        .orElse(OptionalLong.empty())
                : OptionalLong.empty();
        return Representation.execution(execution, output, position);
    }

    private String output(Execution execution, OutputKind kind, long offset, long length) {
        return offset >= length ? "" : store.output(execution.id(), kind, offset, OUTPUT_CHARS);
    }

    private Execution find(Caller caller, ExecutionId id) {
        return store.find(caller.tenant(), id).orElseThrow(() -> Requests.noExecution(id.toString()));
    }

    private long longestWaitSeconds() {
        return configuration.get(LimitSettings.WAIT).toSeconds();
    }

    private static java.util.function.BiConsumer<Object, Throwable> fail(AsyncResponse response) {
        return (done, failure) -> {
            if (failure != null) {
                response.resume(
                        failure instanceof java.util.concurrent.CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
            }
        };
    }
}
