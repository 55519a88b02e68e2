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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Waiting;
import org.sallyport.web.security.Allowed;
import org.sallyport.web.stream.Streams;

/** What came of a batch. */
@ApplicationScoped
@Path("batches/{id}/results")
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class BatchResultsResource {
    @Inject
    BatchStore store;

    @Inject
    ExecutionStore executions;

    @Inject
    Waiting waiting;

    @Inject
    Streams streams;

    @GET
    @Produces(BatchResultsFeed.MEDIA_TYPE)
    public void results(
            @Context HttpServletRequest request, @PathParam("id") String id, @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        Batch batch = BatchesResource.find(store, caller, id);
        streams.answer(
                request,
                caller,
                response,
                new BatchResultsFeed(store, executions, waiting, caller.tenant(), batch.id()));
    }
}
