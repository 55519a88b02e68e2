package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.quota.QuotaLimits;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.StoredBytesCounter;
import org.sallyport.web.security.RolesAllowed;

/** The quotas of the caller's tenant and their usage. */
@ApplicationScoped
@Path("quotas")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.OPERATOR, Role.AUDITOR})
public class QuotasResource {
    @Inject
    QuotaStore store;

    @Inject
    StoredBytesCounter storedBytes;

    @Inject
    QuotaLimits quotas;

    @Inject
    ExecutionCounts executionCounts;

    @GET
    public Response get(@Context HttpServletRequest request) {
        return Response.ok(QuotaMapper.toJson(
                        RequestContexts.caller(request).tenant(), store, storedBytes, quotas, executionCounts))
                .build();
    }
}
