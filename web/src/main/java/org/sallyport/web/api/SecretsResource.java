package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
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
import java.util.Set;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.redaction.Redactor;
import org.sallyport.secrets.Secret;
import org.sallyport.secrets.SecretVault;
import org.sallyport.secrets.TooManySecretsException;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** The tenant's secrets. Clients can set values but never read them. */
@ApplicationScoped
@Path("secrets")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.OPERATOR)
public class SecretsResource {
    private static final int MAX_NAME_LENGTH = 64;
    private static final int MAX_VALUE_LENGTH = 16_384;

    @Inject
    SecretVault vault;

    @Inject
    BackendRegistry backends;

    @Inject
    StrictJsonReader json;

    @GET
    @RolesAllowed({Role.OPERATOR, Role.AUDITOR})
    public Response list(@Context HttpServletRequest request) {
        return Response.ok(ExecutionMapper.list(
                        vault.list(RequestContexts.caller(request).tenant()).stream()
                                .map(SecretsResource::represent)
                                .toList(),
                        Optional.empty()))
                .build();
    }

    @POST
    @Audited("secret.create")
    public Response create(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Caller caller = RequestContexts.caller(request);
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("name", "value"));
        String name = body.text("name", MAX_NAME_LENGTH)
                .filter(Secret::isValidName)
                .orElseThrow(() -> body.invalidMember(
                        "name", "must be a letter and then at most 63 letters, digits, '_', '.' or '-'"));
        Secret created = create(caller, name, value(body))
                .orElseThrow(() -> new ProblemException(
                        ProblemType.SECRET_EXISTS,
                        "there is a secret '" + name + "'; PUT /api/v1/secrets/" + name + " gives it another value"));
        backends.sync();
        return Response.created(URI.create("/api/v1/secrets/" + name))
                .entity(represent(created))
                .build();
    }

    private Optional<Secret> create(Caller caller, String name, String value) {
        try {
            return vault.create(caller.tenant(), name, value, caller.id());
        } catch (TooManySecretsException e) {
            throw new ProblemException(Problem.of(
                    ProblemType.TOO_MANY_SECRETS,
                    "there are " + e.maxSecrets() + " secrets, which is the limit; delete one first (setting"
                            + " sallyport.secrets.max-per-tenant)",
                    members -> members.put("limit", e.maxSecrets())));
        }
    }

    @PUT
    @Audited("secret.rotate")
    @Path("{name}")
    public Response rotate(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name) {
        Caller caller = RequestContexts.caller(request);
        if (vault.find(caller.tenant(), name).isEmpty()) {
            throw notFound(name);
        }
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("value"));
        Secret changed =
                vault.rotate(caller.tenant(), name, value(body), caller.id()).orElseThrow(() -> notFound(name));
        // Reconnects the backends that use the secret; other nodes notice the change within seconds.
        backends.sync();
        return Response.ok(represent(changed)).build();
    }

    @DELETE
    @Audited("secret.delete")
    @Path("{name}")
    public Response delete(@Context HttpServletRequest request, @PathParam("name") String name) {
        if (!vault.delete(RequestContexts.caller(request).tenant(), name)) {
            throw notFound(name);
        }
        backends.sync();
        return Response.noContent().build();
    }

    private static String value(JsonMembers body) {
        return body.text("value", MAX_VALUE_LENGTH)
                .filter(value -> value.length() >= Redactor.MIN_SECRET_LENGTH && value.indexOf('\0') < 0)
                .orElseThrow(() -> body.invalidMember(
                        "value",
                        "must have " + Redactor.MIN_SECRET_LENGTH + " to " + MAX_VALUE_LENGTH
                                + " characters and no NUL; a shorter value could not be hidden reliably in"
                                + " output"));
    }

    private static ObjectNode represent(Secret secret) {
        ObjectNode json = ExecutionMapper.object()
                .put("name", secret.name())
                .put("version", secret.version())
                .put("createdAt", secret.created().at().toString())
                .put("createdBy", secret.created().by())
                .put("changedAt", secret.changed().at().toString())
                .put("changedBy", secret.changed().by());
        secret.used()
                .ifPresent(use -> json.put("lastUsedAt", use.at().toString()).put("lastUsedBy", use.by()));
        return json;
    }

    private static ProblemException notFound(String name) {
        return new ProblemException(
                ProblemType.NOT_FOUND, "there is no secret '" + RequestContexts.abbreviate(name) + "'");
    }
}
