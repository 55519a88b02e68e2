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
import java.security.SecureRandom;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.WebhookSettings;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.secrets.SecretVault;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.RolesAllowed;
import org.sallyport.webhook.InboundWebhook;
import org.sallyport.webhook.InboundWebhookStore;
import org.sallyport.webhook.InboundWebhookToken;

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

    private final InstantSource clock = InstantSource.system();
    private final SecureRandom random = new SecureRandom();
    private final ExecutionIdGenerator ids = new ExecutionIdGenerator(clock, random);

    @Inject
    InboundWebhookStore store;

    @Inject
    SecretVault vault;

    @Inject
    Configuration configuration;

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
        Caller caller = RequestContexts.caller(request);
        String token = InboundWebhookToken.generate(random);
        InboundWebhook webhook = InboundWebhookMapper.read(
                new JsonMembers(json.read(headers, in).json()),
                caller,
                ids.next().value(),
                InboundWebhookToken.hash(token),
                clock.instant().truncatedTo(ChronoUnit.MICROS));
        requireSubmittingKey(caller);
        webhook.signature()
                .filter(signature ->
                        vault.find(caller.tenant(), signature.secret()).isEmpty())
                .ifPresent(signature -> {
                    throw new ProblemException(
                            ProblemType.VALIDATION,
                            "'signature.secret' names no secret of the tenant; store it first: sallyport secrets set"
                                    + " NAME");
                });
        int maxWebhooks = configuration.getInt(WebhookSettings.MAX_PER_TENANT);
        switch (store.add(webhook, maxWebhooks)) {
            case NAME_TAKEN ->
                throw new ProblemException(
                        ProblemType.WEBHOOK_EXISTS,
                        "there is a webhook '" + RequestContexts.abbreviate(webhook.name())
                                + "'; choose another name, or delete that webhook first");
            case TOO_MANY ->
                throw new ProblemException(Problem.of(
                        ProblemType.TOO_MANY_WEBHOOKS,
                        "there are " + maxWebhooks + " webhooks, which is the limit; delete one first (setting "
                                + WebhookSettings.MAX_PER_TENANT.name() + ")",
                        members -> members.put("limit", maxWebhooks)));
            case ADDED -> {}
        }
        ObjectNode shown = InboundWebhookMapper.webhook(webhook).put("path", AuthenticationFilter.WEBHOOKS + "/" + token);
        return Response.created(URI.create(PATH + webhook.id())).entity(shown).build();
    }

    /** A webhook acts later in the name of its creator, so the creator must be a key that may submit. */
    private static void requireSubmittingKey(Caller caller) {
        if (caller.token().isPresent()) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "a webhook acts with the rights of an API key; a token or certificate identifies the caller of"
                            + " one request only; send a key");
        } else if (!WebhookDeliveryFacade.maySubmit(caller)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN, "a webhook submits in the name of your key, which needs the role submitter");
        }
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
