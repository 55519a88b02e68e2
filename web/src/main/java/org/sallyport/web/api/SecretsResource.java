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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.connector.Backends;
import org.sallyport.secret.Redaction;
import org.sallyport.secret.Secret;
import org.sallyport.secret.TooManySecretsException;
import org.sallyport.secret.Vault;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;

/** The tenant's secrets. Values come in here; none goes out. */
@ApplicationScoped
@Path("secrets")
@Produces(MediaType.APPLICATION_JSON)
@Allowed(Role.OPERATOR)
public class SecretsResource {
    private static final int LONGEST_NAME = 64;
    private static final int LONGEST_VALUE = 16_384;

    @Inject
    Vault vault;

    @Inject
    Backends backends;

    @Inject
    StrictJson json;

    @GET
    @Allowed({Role.OPERATOR, Role.AUDITOR})
    public Response list(@Context HttpServletRequest request) {
        return Response.ok(Representation.list(
                        vault.list(Requests.caller(request).tenant()).stream()
                                .map(SecretsResource::represent)
                                .toList(),
                        Optional.empty()))
                .build();
    }

    @POST
    @Audited("secret.create")
    public Response create(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Caller caller = Requests.caller(request);
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("name", "value"));
        String name = body.text("name", LONGEST_NAME)
                .filter(Secret::isName)
                .orElseThrow(() ->
                        body.fault("name", "must be a letter and then at most 63 letters, digits, '_', '.' or '-'"));
        Secret made = create(caller, name, value(body))
                .orElseThrow(() -> new ProblemException(
                        ProblemType.SECRET_EXISTS,
                        "there is a secret '" + name + "'; PUT /api/v1/secrets/" + name + " gives it another value"));
        backends.sync();
        return Response.created(URI.create("/api/v1/secrets/" + name))
                .entity(represent(made))
                .build();
    }

    private Optional<Secret> create(Caller caller, String name, String value) {
        try {
            return vault.create(caller.tenant(), name, value, caller.keyId());
        } catch (TooManySecretsException e) {
            throw new ProblemException(Problem.of(
                    ProblemType.TOO_MANY_SECRETS,
                    "there are " + e.most() + " secrets, and more are not taken (setting sallyport.secrets.most)",
                    members -> members.put("limit", e.most())));
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
        Caller caller = Requests.caller(request);
        if (vault.find(caller.tenant(), name).isEmpty()) {
            throw none(name);
        }
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("value"));
        Secret changed =
                vault.rotate(caller.tenant(), name, value(body), caller.keyId()).orElseThrow(() -> none(name));
        // Those that use it are connected anew; other nodes notice within seconds.
        backends.sync();
        return Response.ok(represent(changed)).build();
    }

    @DELETE
    @Audited("secret.delete")
    @Path("{name}")
    public Response delete(@Context HttpServletRequest request, @PathParam("name") String name) {
        if (!vault.delete(Requests.caller(request).tenant(), name)) {
            throw none(name);
        }
        backends.sync();
        return Response.noContent().build();
    }

    private static String value(Members body) {
        return body.text("value", LONGEST_VALUE)
                .filter(value -> value.length() >= Redaction.SHORTEST && value.indexOf('\0') < 0)
                .orElseThrow(
                        () -> body.fault(
                                "value",
                                "must have " + Redaction.SHORTEST + " to " + LONGEST_VALUE
                                        + " characters and no NUL; a shorter one could not be told from other text where it must be hidden"));
    }

    private static ObjectNode represent(Secret secret) {
        ObjectNode json = Representation.object()
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

    private static ProblemException none(String name) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no secret '" + Requests.shown(name) + "'");
    }
}
