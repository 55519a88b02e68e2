package org.sallyport.web.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.quota.QuotaLimits;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.QuotaType;
import org.sallyport.quota.StoredBytesCounter;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.OperatorTenantOnly;
import org.sallyport.web.security.RolesAllowed;

/** The quotas of other tenants, for operators of the installation. */
@ApplicationScoped
@Path("tenants/{tenant}/quotas")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.OPERATOR, Role.AUDITOR})
public class TenantQuotasResource {
    private static final Set<String> KNOWN_MEMBERS =
            Arrays.stream(QuotaType.values()).map(QuotaType::label).collect(Collectors.toUnmodifiableSet());
    private static final int MAX_TENANT_LENGTH = 200;

    @Inject
    QuotaStore store;

    @Inject
    StoredBytesCounter storedBytes;

    @Inject
    QuotaLimits quotas;

    @Inject
    ExecutionCounts executionCounts;

    @Inject
    StrictJsonReader json;

    @GET
    @OperatorTenantOnly
    public Response find(@PathParam("tenant") String tenant) {
        return respond(requireTenantName(tenant));
    }

    /**
     * Changes the quotas of a tenant. Takes effect immediately on this node and after a moment on other nodes. A quota
     * that the request omits gets the default for all tenants.
     */
    @PUT
    @OperatorTenantOnly
    @Audited("quota.change")
    @RolesAllowed(Role.ADMIN)
    public Response change(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("tenant") String tenant) {
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(KNOWN_MEMBERS);
        Map<QuotaType, Long> own = new EnumMap<>(QuotaType.class);
        for (QuotaType quota : QuotaType.values()) {
            body.longValue(quota.label()).ifPresent(limit -> {
                if (limit < 0 || limit > QuotaType.MAX_VALUE) {
                    throw body.invalidMember(
                            quota.label(), "must be a whole number from 0 (no limit) to " + QuotaType.MAX_VALUE);
                }
                own.put(quota, limit);
            });
        }
        String whose = requireTenantName(tenant);
        store.setOverrides(whose, own, RequestContexts.caller(request).id());
        quotas.invalidate(whose);
        return respond(whose);
    }

    private static String requireTenantName(String tenant) {
        if (tenant.isBlank() || tenant.length() > MAX_TENANT_LENGTH) {
            throw new ProblemException(
                    ProblemType.NOT_FOUND, "there is no tenant '" + RequestContexts.abbreviate(tenant) + "'");
        }
        return tenant;
    }

    private Response respond(String tenant) {
        return Response.ok(QuotaMapper.toJson(tenant, store, storedBytes, quotas, executionCounts))
                .build();
    }
}
