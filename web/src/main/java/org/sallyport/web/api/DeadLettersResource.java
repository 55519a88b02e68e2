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
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.DeadLetter;
import org.sallyport.execution.DeadLetterStore;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.submission.DeadLetterReplay;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** Dead letters: executions whose jobs the broker gave up. Lists and redelivers them. */
@ApplicationScoped
@Path("dead-letters")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.OPERATOR, Role.AUDITOR})
public class DeadLettersResource {
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;

    @Inject
    DeadLetterStore deadLetters;

    @Inject
    DeadLetterReplay replays;

    @Inject
    ExecutionResponder responder;

    @Inject
    Configuration configuration;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        List<DeadLetter> page =
                deadLetters.list(RequestContexts.caller(request).tenant(), Cursor.decode(cursor), size + 1);
        boolean more = page.size() > size;
        List<DeadLetter> shown = more ? page.subList(0, size) : page;
        Optional<String> next =
                more ? Optional.of(Cursor.encode(shown.get(size - 1).execution().id())) : Optional.empty();
        return Response.ok(ExecutionMapper.list(
                        shown.stream().map(DeadLettersResource::represent).toList(), next))
                .build();
    }

    static ObjectNode represent(DeadLetter letter) {
        ObjectNode json = ExecutionMapper.object();
        json.put("id", letter.execution().id().toString());
        json.put("at", letter.at().toString());
        json.put("reason", letter.reason());
        letter.redeliveredAs().ifPresent(execution -> json.put("replayedAs", execution.toString()));
        json.set("execution", ExecutionMapper.summary(letter.execution()));
        return json;
    }

    @POST
    @Audited("dead-letter.replay")
    @Path("{id}/replay")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    public void redeliver(
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id,
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        ExecutionId execution = RequestContexts.executionId(id);
        Optional<Long> wait = RequestParameters.preferredWait(
                headers.getRequestHeaders().getOrDefault("Prefer", List.of()),
                configuration.get(LimitSettings.MAX_WAIT).toSeconds());
        Optional<IdempotencyKey> key = RequestParameters.idempotencyKey(idempotencyKey)
                .map(text -> new IdempotencyKey(text, "replay " + execution));
        replays.submit(caller, execution, key)
                .thenAccept(receipt -> responder.respond(caller, receipt, wait, response))
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }
}
