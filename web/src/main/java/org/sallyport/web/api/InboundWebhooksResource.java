package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.RolesAllowed;
import org.sallyport.webhook.InboundWebhookStore;

/**
 * The tenant's inbound webhooks: addresses with which systems without a key run a capability or emit an event in the
 * name of the key that created them.
 */
@ApplicationScoped
@Path("inbound-webhooks")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.OPERATOR)
public class InboundWebhooksResource {
    private static final String PATH = "/api/v1/inbound-webhooks/";

    @Inject
    InboundWebhookFacade facade;

    @Inject
    InboundWebhookStore store;

    @Inject
    StrictJsonReader json;

    @GET
    @RolesAllowed({Role.OPERATOR, Role.AUDITOR})
    public Response list(@Context HttpServletRequest request) {
        return Response.ok(ExecutionMapper.list(
                        store.list(RequestContexts.caller(request).tenant()).stream()
                                .map(InboundWebhookMapper::webhook)
                                .toList(),
                        Optional.empty()))
                .build();
    }

    @POST
    @Audited("inbound-webhook.create")
    public Response create(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        InboundWebhookFacade.IssuedWebhook issued =
                facade.create(RequestContexts.caller(request), new JsonMembers(json.read(headers, in)));
        ObjectNode shown = InboundWebhookMapper.webhook(issued.webhook())
                .put("path", AuthenticationFilter.WEBHOOKS + "/" + issued.token());
        return Response.created(URI.create(PATH + issued.webhook().id()))
                .entity(shown)
                .build();
    }

    @POST
    @Path("{id}/enable")
    @Audited("inbound-webhook.enable")
    public Response enable(@Context HttpServletRequest request, @PathParam("id") String id) {
        return setEnabled(RequestContexts.caller(request).tenant(), id, true);
    }

    @POST
    @Path("{id}/disable")
    @Audited("inbound-webhook.disable")
    public Response disable(@Context HttpServletRequest request, @PathParam("id") String id) {
        return setEnabled(RequestContexts.caller(request).tenant(), id, false);
    }

    private Response setEnabled(String tenant, String id, boolean enabled) {
        UUID webhook = parseId(id);
        if (!store.setEnabled(tenant, webhook, enabled)) {
            throw notFound(id);
        }
        return Response.ok(
                        InboundWebhookMapper.webhook(store.find(tenant, webhook).orElseThrow(() -> notFound(id))))
                .build();
    }

    @DELETE
    @Path("{id}")
    @Audited("inbound-webhook.delete")
    public Response delete(@Context HttpServletRequest request, @PathParam("id") String id) {
        if (!store.remove(RequestContexts.caller(request).tenant(), parseId(id))) {
            throw notFound(id);
        }
        return Response.noContent().build();
    }

    private static UUID parseId(String id) {
        return ExecutionId.parse(id).orElseThrow(() -> notFound(id)).value();
    }

    private static ProblemException notFound(String id) {
        return new ProblemException(
                ProblemType.NOT_FOUND, "there is no webhook '" + RequestContexts.abbreviate(id) + "'");
    }
}
