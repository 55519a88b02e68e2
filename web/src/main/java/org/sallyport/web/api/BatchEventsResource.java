package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.web.async.StreamRegistry;
import org.sallyport.web.security.RolesAllowed;

/** The progress of a batch as an event stream. */
@ApplicationScoped
@Path("batches/{id}/events")
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class BatchEventsResource {
    @Inject
    BatchFacade facade;

    @Inject
    BatchStore store;

    @Inject
    CompletionWaiter waiter;

    @Inject
    StreamRegistry streams;

    @GET
    @Produces("text/event-stream")
    public void events(
            @Context HttpServletRequest request,
            @PathParam("id") String id,
            @HeaderParam("Last-Event-ID") @Nullable String lastEventId,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        Batch batch = facade.find(caller, id);
        String lastReceivedId = lastEventId == null ? "" : lastEventId;
        if (lastReceivedId.equals(BatchProgressStream.END)) {
            response.resume(Response.noContent().build());
        } else {
            streams.respond(
                    request,
                    caller,
                    response,
                    new BatchProgressStream(store, waiter, caller.tenant(), batch.id(), lastReceivedId));
        }
    }
}
