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
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.Caller;
import org.sallyport.auth.KeyUseTracker;
import org.sallyport.auth.Role;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/** The tenant's API keys. The secret of a key is returned once, when the key is created. */
@ApplicationScoped
@Path("api-keys")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.ADMIN)
public class ApiKeysResource {
    private static final Set<String> KNOWN_MEMBERS = Set.of("name", "roles", "grants", "expiresAt");
    private static final int MAX_NAME_LENGTH = 200;

    @Inject
    ApiKeyService keys;

    @Inject
    KeyUseTracker uses;

    @Inject
    StrictJsonReader json;

    @GET
    public Response list(@Context HttpServletRequest request) {
        String tenant = RequestContexts.caller(request).tenant();
        Map<String, Instant> last = uses.lastUsedByKey(tenant);
        return Response.ok(ExecutionMapper.list(
                        keys.list(tenant).stream()
                                .map(key -> represent(key, Optional.ofNullable(last.get(key.id()))))
                                .toList(),
                        Optional.empty()))
                .build();
    }

    @POST
    @Audited("api-key.create")
    public Response issue(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(KNOWN_MEMBERS);
        String name = body.text("name", MAX_NAME_LENGTH)
                .filter(text -> !text.isBlank())
                .orElseThrow(() -> body.invalidMember("name", "is missing: what the key is for"));
        List<String> grants = SubmissionReader.storedGrants(body).orElse(Caller.EVERY_TOOL);
        Set<Role> roles = roles(body);
        Optional<Instant> end = expiresAt(body);
        String tenant = RequestContexts.caller(request).tenant();
        requireOneMoreAllowed(tenant);
        ApiKeyService.IssuedApiKey issued = keys.issue(tenant, name, roles, grants, end);
        ObjectNode shown = represent(issued.key(), Optional.empty()).put("key", issued.secret());
        return Response.created(URI.create("/api/v1/api-keys/" + issued.key().id()))
                .entity(shown)
                .build();
    }

    /** @throws ProblemException if the tenant has as many keys as it may have */
    void requireOneMoreAllowed(String tenant) {
        if (keys.hasMaxKeys(tenant)) {
            int maxKeys = ApiKeyService.MAX_KEYS_PER_TENANT;
            throw new ProblemException(Problem.of(
                    ProblemType.TOO_MANY_KEYS,
                    "there are " + maxKeys
                            + " keys, which is the limit; delete one first, such as one that has expired",
                    members -> members.put("limit", maxKeys)));
        }
    }

    private static Set<Role> roles(JsonMembers body) {
        List<String> names = body.texts("roles", Role.values().length, MAX_NAME_LENGTH)
                .filter(given -> !given.isEmpty())
                .orElseThrow(() -> body.invalidMember("roles", "is missing: the roles of the key"));
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String name : names) {
            roles.add(Arrays.stream(Role.values())
                    .filter(role -> role.name().toLowerCase(Locale.ROOT).equals(name))
                    .findFirst()
                    .orElseThrow(() -> body.invalidMember(
                            "roles", "must be some of submitter, approver, operator, admin, auditor")));
        }
        return roles;
    }

    private Optional<Instant> expiresAt(JsonMembers body) {
        return body.text("expiresAt", MAX_NAME_LENGTH).map(text -> {
            try {
                Instant end = Instant.parse(text);
                if (keys.isExpired(end)) {
                    throw body.invalidMember("expiresAt", "has passed");
                }
                return end;
            } catch (DateTimeException e) {
                throw body.invalidMember("expiresAt", "must be a time such as 2030-01-31T00:00:00Z");
            }
        });
    }

    /**
     * Changes the grants of a key, for new and running executions. Takes effect immediately on this node and after a
     * moment on other nodes.
     */
    @PUT
    @Audited("api-key.grant")
    @Path("{id}/grants")
    public Response grant(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("id") String id) {
        String tenant = RequestContexts.caller(request).tenant();
        if (keys.list(tenant).stream().noneMatch(key -> key.id().equals(id))) {
            throw notFound(id);
        }
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("grants"));
        List<String> grants = SubmissionReader.storedGrants(body)
                .orElseThrow(() -> body.invalidMember("grants", "is missing: the tools that the key may call"));
        // Read before the change: once the change is made, the response must not be an error.
        Optional<Instant> lastUsed =
                Optional.ofNullable(uses.lastUsedByKey(tenant).get(id));
        return keys.replaceGrants(tenant, id, grants)
                .map(key -> Response.ok(represent(key, lastUsed)).build())
                .orElseThrow(() -> notFound(id));
    }

    private static ProblemException notFound(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no key '" + RequestContexts.abbreviate(id) + "'");
    }

    @DELETE
    @Audited("api-key.delete")
    @Path("{id}")
    public Response revoke(@Context HttpServletRequest request, @PathParam("id") String id) {
        if (!keys.revoke(RequestContexts.caller(request).tenant(), id)) {
            throw notFound(id);
        }
        return Response.noContent().build();
    }

    private static ObjectNode represent(ApiKey key, Optional<Instant> lastUse) {
        ObjectNode json = ExecutionMapper.object().put("id", key.id()).put("name", key.name());
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
