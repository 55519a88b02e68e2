package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Role;
import org.sallyport.quota.TenantStore;
import org.sallyport.quota.TenantUsage;
import org.sallyport.web.security.OperatorTenantOnly;
import org.sallyport.web.security.RolesAllowed;

/** The tenants, for operators of the installation. */
@ApplicationScoped
@Path("tenants")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.OPERATOR, Role.AUDITOR})
public class TenantsResource {
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;

    @Inject
    TenantStore tenants;

    @GET
    @OperatorTenantOnly
    public Response list(@QueryParam("limit") @Nullable String limit, @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        List<TenantUsage> page = tenants.listTenants(Cursor.decodeText(cursor), size + 1);
        boolean more = page.size() > size;
        List<TenantUsage> shown = more ? page.subList(0, size) : page;
        return Response.ok(ExecutionMapper.list(
                        shown.stream().map(TenantsResource::represent).toList(),
                        more ? Optional.of(Cursor.encodeText(shown.get(size - 1).tenant())) : Optional.empty()))
                .build();
    }

    private static ObjectNode represent(TenantUsage use) {
        return ExecutionMapper.object()
                .put("tenant", use.tenant())
                .put("queued", use.queued())
                .put("live", use.live())
                .put("apiKeys", use.apiKeys())
                .put("ownQuotas", use.hasOwnQuotas())
                .put("cost", use.cost().amount())
                .put("calls", use.costedCalls());
    }
}
