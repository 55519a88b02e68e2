package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.EventSettings;
import org.sallyport.event.EventBus;
import org.sallyport.event.ExternalEmitResult;
import org.sallyport.event.ScriptEvent;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.web.async.StreamRegistry;
import org.sallyport.web.audit.Unaudited;
import org.sallyport.web.security.RolesAllowed;

/** The tenant's events: callers emit them for waiting scripts and follow them as an event stream. */
@ApplicationScoped
@Path("events")
@Produces(MediaType.APPLICATION_JSON)
public class EventsResource {
    private static final int MAX_NAMES = 100;

    @Inject
    EventFacade facade;

    @Inject
    EventBus events;

    @Inject
    RedactionProvider redactions;

    @Inject
    StreamRegistry streams;

    @Inject
    Configuration configuration;

    @Inject
    StrictJsonReader json;

    @POST
    @Unaudited("The event itself says who emitted it.")
    @RolesAllowed(Role.SUBMITTER)
    public Response emit(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey) {
        Caller caller = RequestContexts.caller(request);
        facade.throttle(caller.tenant());
        Optional<String> key = RequestParameters.idempotencyKey(idempotencyKey);
        ObjectNode body = json.read(headers, in, EventSettings.MAX_BODY_BYTES);
        ExternalEmitResult.ExternalEventStored stored =
                facade.store(caller, body, key.map(text -> new IdempotencyKey(text, CanonicalJsonHash.of(body))));
        Response.ResponseBuilder response =
                Response.status(Response.Status.CREATED).entity(EventFacade.represent(stored));
        if (stored.replayed()) {
            response.header("Idempotent-Replayed", "true");
        }
        return response.build();
    }

    @GET
    @Produces("text/event-stream")
    @RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
    public void follow(
            @Context HttpServletRequest request,
            @QueryParam("name") List<String> name,
            @QueryParam("after") @Nullable String after,
            @HeaderParam("Last-Event-ID") @Nullable String lastEventId,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        Set<String> names = names(name);
        long last = events.lastSeq(caller.tenant());
        // A client that reconnects may know events that a restored database does not have.
        long position = lastEventId != null && !lastEventId.isEmpty()
                ? RequestParameters.longInRange("Last-Event-ID", lastEventId, last, 0, Long.MAX_VALUE)
                : RequestParameters.longInRange("after", after, last, 0, last);
        streams.respond(
                request,
                caller,
                response,
                new TenantEventStream(
                        events,
                        redactions,
                        caller.tenant(),
                        names,
                        position,
                        configuration.get(EventSettings.MAX_UNREAD)));
    }

    private static Set<String> names(List<String> names) {
        if (names.size() > MAX_NAMES) {
            throw RequestParameters.invalidParameter("name", "may be given at most " + MAX_NAMES + " times");
        }
        for (String name : names) {
            if (name.isEmpty() || name.length() > ScriptEvent.MAX_NAME_LENGTH) {
                throw RequestParameters.invalidParameter(
                        "name", "must have 1 to " + ScriptEvent.MAX_NAME_LENGTH + " characters");
            }
        }
        return Set.copyOf(names);
    }
}
