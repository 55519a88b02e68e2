package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DELETE;
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
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.SecretSettings;
import org.sallyport.secrets.SecretVault;
import org.sallyport.variable.TenantVariable;
import org.sallyport.variable.TenantVariable.ValueSource;
import org.sallyport.variable.VariableStore;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** The tenant's variables, which capabilities declare and their scripts see as {@code env}. */
@ApplicationScoped
@Path("variables")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.OPERATOR)
public class VariablesResource {
    private static final String VALUE = "value";
    private static final String SECRET = "secret";
    private static final int MAX_SECRET_NAME_LENGTH = 64;

    private final InstantSource clock = InstantSource.system();

    @Inject
    VariableStore store;

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
                                .map(VariablesResource::represent)
                                .toList(),
                        Optional.empty()))
                .build();
    }

    @PUT
    @Audited("variable.set")
    @Path("{name}")
    public Response set(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name) {
        Caller caller = RequestContexts.caller(request);
        if (!TenantVariable.isValidName(name)) {
            throw RequestParameters.invalidParameter(
                    "name",
                    "must be a letter or '_', then letters, digits or '_', at most " + TenantVariable.MAX_NAME_LENGTH
                            + " characters");
        }
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of(VALUE, SECRET));
        int maxVariables = configuration.getInt(SecretSettings.MAX_VARIABLES_PER_TENANT);
        TenantVariable stored = store.set(
                        caller.tenant(), name, source(caller, body), clock.instant(), caller.id(), maxVariables)
                .orElseThrow(() -> new ProblemException(Problem.of(
                        ProblemType.TOO_MANY_VARIABLES,
                        "there are " + maxVariables + " variables, which is the limit; delete one first (setting"
                                + " sallyport.variables.max-per-tenant)",
                        members -> members.put("limit", maxVariables))));
        return Response.ok(represent(stored)).build();
    }

    private ValueSource source(Caller caller, JsonMembers body) {
        Optional<String> value = body.text(VALUE, TenantVariable.MAX_VALUE_LENGTH);
        Optional<String> secret = body.text(SECRET, MAX_SECRET_NAME_LENGTH);
        if (value.isPresent() == secret.isPresent()) {
            throw body.invalidMember(VALUE, "or 'secret' must be given, and not both");
        }
        secret.filter(name -> vault.find(caller.tenant(), name).isEmpty()).ifPresent(name -> {
            throw body.invalidMember(
                    SECRET, "names no secret of the tenant; store it first: sallyport secrets set NAME");
        });
        return value.<ValueSource>map(ValueSource.PlainValue::new)
                .orElseGet(() -> new ValueSource.SecretValue(secret.orElseThrow()));
    }

    @DELETE
    @Audited("variable.delete")
    @Path("{name}")
    public Response delete(@Context HttpServletRequest request, @PathParam("name") String name) {
        if (!TenantVariable.isValidName(name)
                || !store.remove(RequestContexts.caller(request).tenant(), name)) {
            throw new ProblemException(
                    ProblemType.NOT_FOUND, "there is no variable '" + RequestContexts.abbreviate(name) + "'");
        }
        return Response.noContent().build();
    }

    private static ObjectNode represent(TenantVariable variable) {
        ObjectNode json = ExecutionMapper.object().put("name", variable.name());
        if (variable.source() instanceof ValueSource.PlainValue plain) {
            json.put(VALUE, plain.text());
        } else if (variable.source() instanceof ValueSource.SecretValue reference) {
            json.put(SECRET, reference.secret());
        }
        return json.put("version", variable.version())
                .put("changedAt", variable.changedAt().toString())
                .put("changedBy", variable.changedBy());
    }
}
