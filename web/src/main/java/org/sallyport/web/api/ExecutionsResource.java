package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
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
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.submission.RunCapabilityRequest;
import org.sallyport.submission.RunSavedScriptRequest;
import org.sallyport.submission.SavedScriptRunService;
import org.sallyport.submission.Submission;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.SubmissionService;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.RolesAllowed;

/**
 * Executions: submit, show, wait, list, cancel. One instance serves all requests, because creating one looks up all its
 * dependencies; request data comes in parameters.
 */
@ApplicationScoped
@Path("executions")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ExecutionsResource {
    /** Minimum length of an output slice: a character may consist of two code units, which are never split. */
    private static final int MIN_OUTPUT_CHARS = 2;

    private static final String ID_PATH = "{id}";

    @Inject
    SubmissionService submissions;

    @Inject
    CapabilityRunService capabilities;

    @Inject
    SavedScriptRunService scripts;

    @Inject
    ExecutionStore store;

    @Inject
    TraceReader traces;

    @Inject
    ExecutionFacade facade;

    @Inject
    ExecutionResponder responder;

    @Inject
    ExecutionEventsResource events;

    @Inject
    StrictJsonReader json;

    @Inject
    RequestMemory memory;

    @POST
    @Unaudited("The execution itself says who submitted it.")
    @Produces({MediaType.APPLICATION_JSON, MediaType.SERVER_SENT_EVENTS})
    @RolesAllowed(Role.SUBMITTER)
    public void submit(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey,
            @QueryParam("cancelOnClose") @Nullable String cancelOnClose,
            @QueryParam("include") @Nullable String include,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        Optional<Long> wait = RequestParameters.preferredWait(
                headers.getRequestHeaders().getOrDefault("Prefer", List.of()), maxWaitSeconds());
        Optional<String> key = RequestParameters.idempotencyKey(idempotencyKey);
        boolean leaving = RequestParameters.flag("cancelOnClose", cancelOnClose);
        boolean withTrace = includesTrace(include);
        ObjectNode body = json.read(headers, in);
        if (leaving && body.has(RetryReader.RETRY_MEMBER)) {
            throw new JsonMembers(body)
                    .invalidMember(
                            RetryReader.RETRY_MEMBER,
                            "does not go with 'cancelOnClose': the stream ends with the first attempt");
        }
        Supplier<CompletionStage<SubmissionResult>> prepared =
                prepareSubmission(caller, body, key.map(text -> new IdempotencyKey(text, CanonicalJsonHash.of(body))));
        Supplier<CompletionStage<SubmissionResult>> accepted = () -> memory.holdUntilDone(prepared);
        if (prefersEvents(headers)) {
            events.streamSubmission(caller, request.getAsyncContext(), accepted, leaving, response);
            return;
        }
        accepted.get()
                .thenAccept(receipt -> responder.respond(caller, receipt, wait, withTrace, response))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    private Supplier<CompletionStage<SubmissionResult>> prepareSubmission(
            Caller caller, ObjectNode json, Optional<IdempotencyKey> idempotency) {
        Optional<Duration> maxAge = CacheOptionsReader.extractMaxAge(json);
        JsonMembers body = new JsonMembers(json);
        if (SavedScriptReader.namesSavedScript(body)) {
            RunSavedScriptRequest call = SavedScriptReader.readRunRequest(body, idempotency);
            RunSavedScriptRequest asked =
                    new RunSavedScriptRequest(call.name(), call.integrity(), withMaxAge(call.options(), maxAge));
            return () -> scripts.submit(caller, asked);
        } else if (CapabilityReader.namesCapability(body)) {
            RunCapabilityRequest call = CapabilityReader.readRunRequest(body, idempotency);
            RunCapabilityRequest asked = new RunCapabilityRequest(
                    call.name(), call.version(), call.integrity(), withMaxAge(call.options(), maxAge));
            return () -> capabilities.submit(caller, asked);
        }
        Submission submission = withMaxAge(SubmissionReader.readWithSaveAs(body, idempotency), maxAge);
        return () -> submissions.submit(caller, submission);
    }

    private static Submission withMaxAge(Submission submission, Optional<Duration> maxAge) {
        return submission.withCacheOptions(submission.cacheOptions().withMaxAge(maxAge));
    }

    private static boolean prefersEvents(HttpHeaders headers) {
        return headers.getAcceptableMediaTypes().get(0).toString().startsWith(MediaType.SERVER_SENT_EVENTS);
    }

    @GET
    public Response list(@Context HttpServletRequest request, @BeanParam ExecutionListParameters parameters) {
        return Response.ok(facade.list(RequestContexts.caller(request), parameters.byName()))
                .build();
    }

    @GET
    @Path(ID_PATH)
    public void get(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("wait") @Nullable String wait,
            @QueryParam("outputOffset") @Nullable String outputOffset,
            @QueryParam("errorOffset") @Nullable String errorOffset,
            @QueryParam("include") @Nullable String include,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        boolean withTrace = includesTrace(include);
        long seconds = RequestParameters.longInRange("wait", wait, 0, 0, maxWaitSeconds());
        long from = RequestParameters.longInRange("outputOffset", outputOffset, 0, 0, Long.MAX_VALUE);
        long errorFrom = RequestParameters.longInRange("errorOffset", errorOffset, 0, 0, Long.MAX_VALUE);
        Execution found = responder.find(caller, RequestContexts.executionId(id));
        if (seconds == 0 || found.state().isTerminal()) {
            response.resume(Response.ok(responder.represent(found, from, errorFrom, withTrace))
                    .build());
            return;
        }
        responder
                .waitWithinLimit(caller, found.id(), seconds * 1_000)
                .thenAccept(now -> response.resume(Response.ok(responder.represent(now, from, errorFrom, withTrace))
                        .build()))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    @GET
    @Path(ID_PATH + "/code")
    @Produces({MediaType.TEXT_PLAIN, MediaType.APPLICATION_JSON})
    public Response code(@Context HttpServletRequest request, @PathParam("id") String id) {
        ExecutionId execution = RequestContexts.executionId(id);
        String code = store.findCode(RequestContexts.caller(request).tenant(), execution)
                .orElseThrow(() -> RequestContexts.executionNotFound(id));
        ObjectNode body =
                ExecutionMapper.object().put("id", execution.toString()).put("code", code);
        return Response.ok(body, MediaType.APPLICATION_JSON_TYPE).build();
    }

    @GET
    @Path(ID_PATH + "/output")
    public Response output(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("outputOffset") @Nullable String outputOffset,
            @QueryParam("errorOffset") @Nullable String errorOffset,
            @QueryParam("limit") @Nullable String limit) {
        Execution found = responder.find(RequestContexts.caller(request), RequestContexts.executionId(id));
        OutputRange range = OutputRange.of(outputOffset, errorOffset, limit);
        return Response.ok(ExecutionMapper.output(
                        found, responder.output(found, range.outputOffset(), range.errorOffset(), range.maxChars())))
                .build();
    }

    @GET
    @Path(ID_PATH + "/output/pieces")
    public Response outputPieces(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("outputOffset") @Nullable String outputOffset,
            @QueryParam("errorOffset") @Nullable String errorOffset,
            @QueryParam("limit") @Nullable String limit) {
        Execution found = responder.find(RequestContexts.caller(request), RequestContexts.executionId(id));
        OutputRange range = OutputRange.of(outputOffset, errorOffset, limit);
        return Response.ok(OutputPieceMapper.pieces(
                        found,
                        responder.outputPieces(found, range.outputOffset(), range.errorOffset(), range.maxChars())))
                .build();
    }

    /** The part of the output that a request asks for: offsets and length in characters. */
    private record OutputRange(long outputOffset, long errorOffset, int maxChars) {
        static OutputRange of(@Nullable String outputOffset, @Nullable String errorOffset, @Nullable String limit) {
            long maxChars = RequestParameters.longInRange(
                    "limit", limit, ExecutionResponder.MAX_OUTPUT_CHARS, MIN_OUTPUT_CHARS, Integer.MAX_VALUE);
            return new OutputRange(
                    RequestParameters.longInRange("outputOffset", outputOffset, 0, 0, Long.MAX_VALUE),
                    RequestParameters.longInRange("errorOffset", errorOffset, 0, 0, Long.MAX_VALUE),
                    (int) Math.min(ExecutionResponder.MAX_OUTPUT_CHARS, maxChars));
        }
    }

    @GET
    @Path(ID_PATH + "/trace")
    public Response trace(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("after") @Nullable String after,
            @QueryParam("limit") @Nullable String limit) {
        Execution found = responder.find(RequestContexts.caller(request), RequestContexts.executionId(id));
        long from = RequestParameters.longInRange("after", after, 0, 0, Long.MAX_VALUE);
        return Response.ok(traces.readTrace(found, from, traceLimit(limit))).build();
    }

    @GET
    @Path(ID_PATH + "/journal")
    public Response journal(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("after") @Nullable String after,
            @QueryParam("limit") @Nullable String limit) {
        Execution found = responder.find(RequestContexts.caller(request), RequestContexts.executionId(id));
        long from = RequestParameters.longInRange("after", after, 0, 0, Long.MAX_VALUE);
        return Response.ok(traces.readJournal(found, from, traceLimit(limit))).build();
    }

    private static int traceLimit(@Nullable String limit) {
        return (int) Math.min(
                TraceReader.MAX_EVENTS,
                RequestParameters.longInRange("limit", limit, TraceReader.MAX_EVENTS, 1, Integer.MAX_VALUE));
    }

    @GET
    @Path(ID_PATH + "/children")
    public Response children(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        Caller caller = RequestContexts.caller(request);
        ExecutionId parent =
                responder.find(caller, RequestContexts.executionId(id)).id();
        return Response.ok(facade.list(caller, ExecutionListQuery.childrenOf(parent, limit, cursor)))
                .build();
    }

    @POST
    @Audited("execution.cancel")
    @Path(ID_PATH + "/cancel")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    public Response cancel(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        Optional<String> reason = CancelReasonReader.read(json, headers, in);
        ExecutionId execution = RequestContexts.executionId(id);
        reason.ifPresent(text -> AuditRecorder.addNote(request, text));
        ObjectNode cancelled = facade.cancel(RequestContexts.caller(request), execution, reason);
        String attempt = cancelled.path("id").asText();
        if (!attempt.equals(execution.toString())) {
            AuditRecorder.addNote(
                    request,
                    "cancelled its attempt " + attempt
                            + reason.map(text -> ": " + text).orElse(""));
        }
        return Response.accepted(cancelled).build();
    }

    @DELETE
    @Audited("execution.delete")
    @Path(ID_PATH)
    @RolesAllowed(Role.OPERATOR)
    public Response delete(@Context HttpServletRequest request, @PathParam("id") String id) {
        facade.erase(RequestContexts.caller(request), RequestContexts.executionId(id));
        return Response.noContent().build();
    }

    private static boolean includesTrace(@Nullable String include) {
        if (include != null && !include.equals("trace")) {
            throw RequestParameters.invalidParameter("include", "must be trace");
        }
        return include != null;
    }

    private long maxWaitSeconds() {
        return facade.maxWaitSeconds();
    }
}
