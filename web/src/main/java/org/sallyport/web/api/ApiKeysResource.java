package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
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
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sallyport.access.ApiKey;
import org.sallyport.access.Caller;
import org.sallyport.access.KeyUses;
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
    private static final Set<String> KNOWN = Set.of("name", "roles", "grants", "expiresAt");
    private static final int LONGEST_NAME = 200;

    @Inject
    Keys keys;

    @Inject
    KeyUses uses;

    @Inject
    StrictJson json;

    @GET
    public Response list(@Context HttpServletRequest request) {
        String tenant = Requests.caller(request).tenant();
        Map<String, Instant> last = uses.of(tenant);
        return Response.ok(Representation.list(
                        keys.list(tenant).stream()
                                .map(key -> represent(key, Optional.ofNullable(last.get(key.id()))))
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
        List<String> grants = SubmissionReader.grants(body).orElse(Caller.EVERY_TOOL);
        Keys.Issued issued = keys.issue(Requests.caller(request).tenant(), name, roles(body), grants, expiresAt(body));
        ObjectNode shown = represent(issued.key(), Optional.empty()).put("key", issued.secret());
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

    /** Holds for what is submitted from now on, and for what is under way: at once here, after a moment on other nodes. */
    @PUT
    @Audited("api-key.grant")
    @Path("{id}/grants")
    public Response grant(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        String tenant = Requests.caller(request).tenant();
        if (keys.list(tenant).stream().noneMatch(key -> key.id().equals(id))) {
            throw missing(id);
        }
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("grants"));
        List<String> grants = SubmissionReader.grants(body)
                .orElseThrow(() -> body.fault("grants", "is missing: what the key's bearer may have called"));
        // Asked before: what is changed must not be answered with an error.
        Optional<Instant> lastUsed = Optional.ofNullable(uses.of(tenant).get(id));
        return keys.grant(tenant, id, grants)
                .map(key -> Response.ok(represent(key, lastUsed)).build())
                .orElseThrow(() -> missing(id));
    }

    private static ProblemException missing(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no key '" + Requests.shown(id) + "'");
    }

    @DELETE
    @Audited("api-key.delete")
    @Path("{id}")
    public Response revoke(@Context HttpServletRequest request, @PathParam("id") String id) {
        if (!keys.revoke(Requests.caller(request).tenant(), id)) {
            throw missing(id);
        }
        return Response.noContent().build();
    }

    private static ObjectNode represent(ApiKey key, Optional<Instant> lastUse) {
        ObjectNode json = Representation.object().put("id", key.id()).put("name", key.name());
        key.roles().stream()
                .map(role -> role.name().toLowerCase(Locale.ROOT))
                .sorted()
                .forEach(json.withArray("roles")::add);
        ArrayNode grants = json.putArray("grants");
        key.grants().forEach(grants::add);
        key.expiresAt().ifPresent(at -> json.put("expiresAt", at.toString()));
        lastUse.ifPresent(at -> json.put("lastUsedAt", at.toString()));
        return json;
    }
}
