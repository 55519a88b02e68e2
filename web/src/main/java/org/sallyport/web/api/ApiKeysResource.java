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
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.sallyport.access.ApiKey;
import org.sallyport.access.Keys;
import org.sallyport.access.Role;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;

/** The tenant's API keys. What a key is, is shown once, when it is made. */
@ApplicationScoped
@Path("api-keys")
@Produces(MediaType.APPLICATION_JSON)
@Allowed(Role.ADMIN)
public class ApiKeysResource {
    private static final Set<String> KNOWN = Set.of("name", "roles", "expiresAt");
    private static final int LONGEST_NAME = 200;

    @Inject
    Keys keys;

    @Inject
    StrictJson json;

    @GET
    public Response list(@Context HttpServletRequest request) {
        return Response.ok(Representation.list(
                        keys.list(Requests.caller(request).tenant()).stream()
                                .map(ApiKeysResource::represent)
                                .toList(),
                        Optional.empty()))
                .build();
    }

    @POST
    @Audited("api-key.create")
    public Response issue(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Members body = new Members(json.read(headers, in).json());
        body.allow(KNOWN);
        String name = body.text("name", LONGEST_NAME)
                .filter(text -> !text.isBlank())
                .orElseThrow(() -> body.fault("name", "is missing: what the key is for"));
        Keys.Issued issued = keys.issue(Requests.caller(request).tenant(), name, roles(body), expiresAt(body));
        ObjectNode shown = represent(issued.key()).put("key", issued.secret());
        return Response.created(URI.create("/api/v1/api-keys/" + issued.key().id()))
                .entity(shown)
                .build();
    }

    private static Set<Role> roles(Members body) {
        List<String> names = body.texts("roles", Role.values().length, LONGEST_NAME)
                .filter(given -> !given.isEmpty())
                .orElseThrow(() -> body.fault("roles", "is missing: what the key's bearer is trusted with"));
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String name : names) {
            roles.add(Arrays.stream(Role.values())
                    .filter(role -> role.name().toLowerCase(Locale.ROOT).equals(name))
                    .findFirst()
                    .orElseThrow(() ->
                            body.fault("roles", "must be some of submitter, approver, operator, admin, auditor")));
        }
        return roles;
    }

    private Optional<Instant> expiresAt(Members body) {
        return body.text("expiresAt", LONGEST_NAME).map(text -> {
            try {
                Instant end = Instant.parse(text);
                if (keys.isOver(end)) {
                    throw body.fault("expiresAt", "has passed");
                }
                return end;
            } catch (DateTimeException e) {
                throw body.fault("expiresAt", "must be a time such as 2030-01-31T00:00:00Z");
            }
        });
    }

    @DELETE
    @Audited("api-key.delete")
    @Path("{id}")
    public Response revoke(@Context HttpServletRequest request, @PathParam("id") String id) {
        if (!keys.revoke(Requests.caller(request).tenant(), id)) {
            throw new ProblemException(ProblemType.NOT_FOUND, "there is no key '" + Requests.shown(id) + "'");
        }
        return Response.noContent().build();
    }

    private static ObjectNode represent(ApiKey key) {
        ObjectNode json = Representation.object().put("id", key.id()).put("name", key.name());
        key.roles().stream()
                .map(role -> role.name().toLowerCase(Locale.ROOT))
                .sorted()
                .forEach(json.withArray("roles")::add);
        key.expiresAt().ifPresent(at -> json.put("expiresAt", at.toString()));
        return json;
    }
}
