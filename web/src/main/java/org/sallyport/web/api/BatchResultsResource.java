package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.web.async.StreamRegistry;
import org.sallyport.web.security.RolesAllowed;

/** The results of a batch. */
@ApplicationScoped
@Path("batches/{id}/results")
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class BatchResultsResource {
    @Inject
    BatchStore store;

    @Inject
    ExecutionStore executions;

    @Inject
    CompletionWaiter waiter;

    @Inject
    StreamRegistry streams;

    @GET
    @Produces(BatchResultsStream.MEDIA_TYPE)
    public void results(
            @Context HttpServletRequest request, @PathParam("id") String id, @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        Batch batch = BatchesResource.find(store, caller, id);
        streams.respond(
                request,
                caller,
                response,
                new BatchResultsStream(store, executions, waiter, caller.tenant(), batch.id()));
    }
}
