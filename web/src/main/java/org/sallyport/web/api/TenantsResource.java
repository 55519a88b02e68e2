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
import org.sallyport.access.Role;
import org.sallyport.quota.TenantStore;
import org.sallyport.quota.TenantUse;
import org.sallyport.web.security.Allowed;
import org.sallyport.web.security.OperatingTenant;

/** Which tenants there are: for who operates the installation. */
@ApplicationScoped
@Path("tenants")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.OPERATOR, Role.AUDITOR})
public class TenantsResource {
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 200;

    @Inject
    TenantStore tenants;

    @GET
    @OperatingTenant
    public Response list(@QueryParam("limit") @Nullable String limit, @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(LARGEST_PAGE, Parameters.whole("limit", limit, PAGE, 1, Integer.MAX_VALUE));
        List<TenantUse> page = tenants.tenants(Cursor.decodeText(cursor), size + 1);
        boolean more = page.size() > size;
        List<TenantUse> shown = more ? page.subList(0, size) : page;
        return Response.ok(Representation.list(
                        shown.stream().map(TenantsResource::represent).toList(),
                        more ? Optional.of(Cursor.encodeText(shown.get(size - 1).tenant())) : Optional.empty()))
                .build();
    }

    private static ObjectNode represent(TenantUse use) {
        return Representation.object()
                .put("tenant", use.tenant())
                .put("queued", use.queued())
                .put("live", use.live())
                .put("apiKeys", use.keys())
                .put("ownQuotas", use.ownQuotas())
                .put("cost", use.cost().amount())
                .put("calls", use.calls());
    }
}
