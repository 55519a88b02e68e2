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
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
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
    BatchFacade facade;

    @Inject
    BatchStore store;

    @Inject
    ExecutionStore executions;

    @Inject
    CompletionWaiter waiter;

    @Inject
    StreamRegistry streams;

    @GET
    @Produces({BatchResultFormat.JsonLines.MEDIA_TYPE, CsvResultFormat.MEDIA_TYPE})
    public void results(
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        Batch batch = facade.find(caller, id);
        streams.respond(
                request,
                caller,
                response,
                new BatchResultsStream(store, executions, waiter, caller.tenant(), batch, format(headers, batch)));
    }

    private static BatchResultFormat format(HttpHeaders headers, Batch batch) {
        MediaType lines = MediaType.valueOf(BatchResultFormat.JsonLines.MEDIA_TYPE);
        MediaType csv = MediaType.valueOf(CsvResultFormat.MEDIA_TYPE);
        for (MediaType accepted : headers.getAcceptableMediaTypes()) {
            if (accepted.isCompatible(lines)) {
                return new BatchResultFormat.JsonLines();
            } else if (accepted.isCompatible(csv)) {
                return new CsvResultFormat(batch.columns());
            }
        }
        return new BatchResultFormat.JsonLines();
    }
}
