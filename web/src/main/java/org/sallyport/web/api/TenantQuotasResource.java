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
import org.sallyport.access.Role;
import org.sallyport.execution.Census;
import org.sallyport.quota.Quota;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.Quotas;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;
import org.sallyport.web.security.OperatingTenant;

/** How much other tenants may take up: for who operates the installation. */
@ApplicationScoped
@Path("tenants/{tenant}/quotas")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.OPERATOR, Role.AUDITOR})
public class TenantQuotasResource {
    private static final Set<String> KNOWN =
            Arrays.stream(Quota.values()).map(Quota::word).collect(Collectors.toUnmodifiableSet());
    private static final int LONGEST_TENANT = 200;

    @Inject
    QuotaStore store;

    @Inject
    Quotas quotas;

    @Inject
    Census census;

    @Inject
    StrictJson json;

    @GET
    @OperatingTenant
    public Response find(@PathParam("tenant") String tenant) {
        return answer(known(tenant));
    }

    /** In force at once here, and after a moment on other nodes. What is left out is as for all. */
    @PUT
    @OperatingTenant
    @Audited("quota.change")
    @Allowed(Role.ADMIN)
    public Response change(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("tenant") String tenant) {
        Members body = new Members(json.read(headers, in).json());
        body.allow(KNOWN);
        Map<Quota, Long> own = new EnumMap<>(Quota.class);
        for (Quota quota : Quota.values()) {
            body.whole(quota.word()).ifPresent(most -> {
                if (most < 0 || most > Quota.MOST) {
                    throw body.fault(quota.word(), "must be a whole number from 0 (no limit) to " + Quota.MOST);
                }
                own.put(quota, most);
            });
        }
        String whose = known(tenant);
        store.set(whose, own, Requests.caller(request).keyId());
        quotas.changed(whose);
        return answer(whose);
    }

    private static String known(String tenant) {
        if (tenant.isBlank() || tenant.length() > LONGEST_TENANT) {
            throw new ProblemException(ProblemType.NOT_FOUND, "there is no tenant '" + Requests.shown(tenant) + "'");
        }
        return tenant;
    }

    private Response answer(String tenant) {
        return Response.ok(QuotaAnswers.of(tenant, store, quotas, census)).build();
    }
}
