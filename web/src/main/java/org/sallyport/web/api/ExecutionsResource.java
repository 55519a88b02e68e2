package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.BeanParam;
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
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.runner.WithoutSecrets;
import org.sallyport.secret.Hidden;
import org.sallyport.submission.CapabilityCall;
import org.sallyport.submission.CapabilityRuns;
import org.sallyport.submission.Receipt;
import org.sallyport.submission.Reception;
import org.sallyport.submission.ScriptCall;
import org.sallyport.submission.ScriptRuns;
import org.sallyport.submission.Submission;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.Allowed;

/**
 * Executions: submit, look, wait, list, cancel. One for all requests, since making one looks up every room it uses: what belongs to a
 * request comes as a parameter.
 */
@ApplicationScoped
@Path("executions")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ExecutionsResource {
    private static final int TRACE_PAGE = 1_000;
    private static final long TRACE_CHARS = 4L << 20;
    /** A character may be two units, which are never told apart. */
    private static final int LEAST_OUTPUT_CHARS = 2;

    private static final String ONE = "{id}";

    @Inject
    Reception reception;

    @Inject
    CapabilityRuns capabilities;

    @Inject
    ScriptRuns scripts;

    @Inject
    ExecutionStore store;

    @Inject
    Journal journal;

    @Inject
    NestedRunStore nested;

    @Inject
    Hidden hidden;

    @Inject
    ExecutionCalls calls;

    @Inject
    ExecutionAnswers answers;

    @Inject
    ExecutionEventsResource events;

    @Inject
    StrictJson json;

    @POST
    @Unaudited("The execution itself says who submitted it.")
    @Produces({MediaType.APPLICATION_JSON, MediaType.SERVER_SENT_EVENTS})
    @Allowed(Role.SUBMITTER)
    public void submit(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey,
            @QueryParam("cancelOnClose") @Nullable String cancelOnClose,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        Optional<Long> wait = Parameters.preferredWait(
                headers.getRequestHeaders().getOrDefault("Prefer", List.of()), longestWaitSeconds());
        Optional<String> key = Parameters.idempotencyKey(idempotencyKey);
        boolean leaving = Parameters.flag("cancelOnClose", cancelOnClose);
        StrictJson.Body body = json.read(headers, in);
        Supplier<CompletionStage<Receipt>> accepted =
                accepting(caller, body.json(), key.map(text -> new Idempotency(text, body.sha256())));
        if (prefersEvents(headers)) {
            events.follow(caller, request.getAsyncContext(), accepted, leaving, response);
            return;
        }
        accepted.get()
                .thenAccept(receipt -> answers.answer(caller, receipt, wait, response))
                .whenComplete(ExecutionAnswers.fail(response));
    }

    private Supplier<CompletionStage<Receipt>> accepting(
            Caller caller, ObjectNode json, Optional<Idempotency> idempotency) {
        Optional<Duration> maxAge = ResultReader.take(json);
        Members body = new Members(json);
        if (ScriptReader.isCall(body)) {
            ScriptCall call = ScriptReader.call(body, idempotency);
            ScriptCall asked = new ScriptCall(call.name(), call.integrity(), within(call.options(), maxAge));
            return () -> scripts.accept(caller, asked);
        } else if (CapabilityReader.isCall(body)) {
            CapabilityCall call = CapabilityReader.call(body, idempotency);
            CapabilityCall asked =
                    new CapabilityCall(call.name(), call.version(), call.integrity(), within(call.options(), maxAge));
            return () -> capabilities.accept(caller, asked);
        }
        Submission submission = within(SubmissionReader.readToKeep(body, idempotency), maxAge);
        return () -> reception.accept(caller, submission);
    }

    private static Submission within(Submission submission, Optional<Duration> maxAge) {
        return submission.reusing(submission.reuse().within(maxAge));
    }

    private static boolean prefersEvents(HttpHeaders headers) {
        return headers.getAcceptableMediaTypes().get(0).toString().startsWith(MediaType.SERVER_SENT_EVENTS);
    }

    @GET
    public Response list(@Context HttpServletRequest request, @BeanParam ListParameters parameters) {
        return Response.ok(calls.list(Requests.caller(request), parameters.byName()))
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
        Execution found = answers.find(caller, Requests.execution(id));
        if (seconds == 0 || found.state().terminal()) {
            response.resume(
                    Response.ok(answers.represent(found, from, errorFrom)).build());
            return;
        }
        answers.waitInTurn(caller, found.id(), seconds * 1_000)
                .thenAccept(now -> response.resume(
                        Response.ok(answers.represent(now, from, errorFrom)).build()))
                .whenComplete(ExecutionAnswers.fail(response));
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
    @Path(ONE + "/output")
    public Response output(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("outputOffset") @Nullable String outputOffset,
            @QueryParam("errorOffset") @Nullable String errorOffset,
            @QueryParam("limit") @Nullable String limit) {
        Execution found = answers.find(Requests.caller(request), Requests.execution(id));
        long from = Parameters.whole("outputOffset", outputOffset, 0, 0, Long.MAX_VALUE);
        long errorFrom = Parameters.whole("errorOffset", errorOffset, 0, 0, Long.MAX_VALUE);
        int most = (int) Math.min(
                ExecutionAnswers.OUTPUT_CHARS,
                Parameters.whole("limit", limit, ExecutionAnswers.OUTPUT_CHARS, LEAST_OUTPUT_CHARS, Integer.MAX_VALUE));
        return Response.ok(Representation.output(found, answers.output(found, from, errorFrom, most)))
                .build();
    }

    @GET
    @Path(ONE + "/trace")
    public Response trace(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("after") @Nullable String after,
            @QueryParam("limit") @Nullable String limit) {
        Execution found = answers.find(Requests.caller(request), Requests.execution(id));
        long from = Parameters.whole("after", after, 0, 0, Long.MAX_VALUE);
        int size = (int) Math.min(TRACE_PAGE, Parameters.whole("limit", limit, TRACE_PAGE, 1, Integer.MAX_VALUE));
        return page(found, TracePage.read(journal::trace, found.id(), from, size, TRACE_CHARS));
    }

    @GET
    @Path(ONE + "/journal")
    public Response journal(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("after") @Nullable String after,
            @QueryParam("limit") @Nullable String limit) {
        Execution found = answers.find(Requests.caller(request), Requests.execution(id));
        long from = Parameters.whole("after", after, 0, 0, Long.MAX_VALUE);
        int size = (int) Math.min(TRACE_PAGE, Parameters.whole("limit", limit, TRACE_PAGE, 1, Integer.MAX_VALUE));
        return page(found, TracePage.read(journal::entries, found.id(), from, size, TRACE_CHARS));
    }

    @GET
    @Path(ONE + "/children")
    public Response children(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        Caller caller = Requests.caller(request);
        ExecutionId parent = answers.find(caller, Requests.execution(id)).id();
        return Response.ok(calls.list(caller, ListQuery.nestedIn(parent, limit, cursor)))
                .build();
    }

    private Response page(Execution execution, TracePage page) {
        WithoutSecrets shown = new WithoutSecrets(hidden.of(execution.summary().tenant()));
        List<TraceEvent> events = page.events();
        ObjectNode body = Representation.object();
        NestedCalls capabilityCalls = NestedCalls.of(nested, execution.id(), events);
        events.forEach(event -> body.withArray("events").add(Representation.event(shown.of(event), capabilityCalls)));
        body.withArray("events");
        Long next = page.more() ? events.get(events.size() - 1).seq() : null;
        body.put("next", next);
        return Response.ok(body).build();
    }

    @POST
    @Audited("execution.cancel")
    @Path(ONE + "/cancel")
    @Allowed({Role.SUBMITTER, Role.OPERATOR})
    public Response cancel(@Context HttpServletRequest request, @PathParam("id") String id) {
        return Response.accepted(calls.cancel(Requests.caller(request), Requests.execution(id)))
                .build();
    }

    private long longestWaitSeconds() {
        return calls.longestWaitSeconds();
    }
}
