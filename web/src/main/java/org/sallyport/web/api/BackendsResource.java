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
import org.sallyport.auth.Role;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.BackendSnapshot;
import org.sallyport.tool.Json;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.OperatorTenantOnly;
import org.sallyport.web.security.RolesAllowed;

/**
 * The configured backends. Every caller can list them. A process that a backend starts can do all that the service can,
 * so only administrators of the operator tenant may change them.
 */
@ApplicationScoped
@Path("backends")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.ADMIN)
public class BackendsResource {
    private static final Set<Role> DETAIL_ROLES = Set.of(Role.OPERATOR, Role.ADMIN, Role.AUDITOR);
    private static final int MAX_NAME_LENGTH = 200;
    /** With those of the backends file, which may have as many. */
    private static final int MAX_BACKENDS = 200;

    @Inject
    BackendRegistry backends;

    @Inject
    StrictJsonReader json;

    @GET
    @RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
    public Response list(@Context HttpServletRequest request) {
        RequestContexts.caller(request);
        return Response.ok(ExecutionMapper.list(
                        backends.list().stream().map(BackendMapper::backend).toList(), Optional.empty()))
                .build();
    }

    @POST
    @Audited("backend.add")
    @OperatorTenantOnly
    public Response add(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("name", "kind", "settings", "enabled"));
        String name = body.text("name", MAX_NAME_LENGTH).orElseThrow(() -> body.invalidMember("name", "is missing"));
        requireOneMoreAllowed();
        BackendSnapshot added = backends.add(
                        name,
                        kind(body),
                        settings(body),
                        enabled(body),
                        RequestContexts.caller(request).tenant())
                .orElseThrow(() -> new ProblemException(
                        ProblemType.BACKEND_EXISTS,
                        "there is a backend '" + RequestContexts.abbreviate(name)
                                + "', or one whose name differs only in case"));
        return Response.created(URI.create("/api/v1/backends/" + name))
                .entity(details(added))
                .build();
    }

    private void requireOneMoreAllowed() {
        if (backends.list().size() >= MAX_BACKENDS) {
            throw new ProblemException(Problem.of(
                    ProblemType.TOO_MANY_BACKENDS,
                    "there are " + MAX_BACKENDS + " backends or more, which is the limit; delete one first",
                    members -> members.put("limit", MAX_BACKENDS)));
        }
    }

    @GET
    @Path("{name}")
    @RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
    public Response get(@Context HttpServletRequest request, @PathParam("name") String name) {
        boolean all = RequestContexts.caller(request).roles().stream().anyMatch(DETAIL_ROLES::contains)
                && request.getAttribute(AuthenticationFilter.OPERATOR_TENANT) != null;
        BackendSnapshot found = backends.find(name).orElseThrow(() -> notFound(name));
        return Response.ok(all ? details(found) : BackendMapper.backend(found)).build();
    }

    @PUT
    @Audited("backend.change")
    @OperatorTenantOnly
    @Path("{name}")
    public Response change(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name) {
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("name", "kind", "settings", "enabled"));
        BackendSnapshot before = requireChangeable(name);
        if (body.text("name", MAX_NAME_LENGTH)
                .filter(other -> !other.equals(name))
                .isPresent()) {
            throw body.invalidMember("name", "must be the name in the path; a backend cannot be renamed");
        }
        String kind = kind(body);
        Json settings = BackendMapper.unmasked(
                        settings(body),
                        kind,
                        before.definition(),
                        backends.secretSettings(kind).orElse(Set.of()))
                .orElseThrow(() -> body.invalidMember(
                        "settings",
                        "has *** for secrets of another address; send the secrets again when the address changes"));
        return Response.ok(details(backends.update(
                                name,
                                kind,
                                settings,
                                enabled(body),
                                RequestContexts.caller(request).tenant())
                        .orElseThrow(() -> notFound(name))))
                .build();
    }

    @DELETE
    @Audited("backend.delete")
    @OperatorTenantOnly
    @Path("{name}")
    public Response remove(@Context HttpServletRequest request, @PathParam("name") String name) {
        if (!isLeftBehind(name)) {
            requireChangeable(name);
        }
        if (!backends.remove(name)) {
            throw notFound(name);
        }
        return Response.noContent().build();
    }

    @POST
    @Audited("backend.restart")
    @OperatorTenantOnly
    @Path("{name}/restart")
    @RolesAllowed(Role.OPERATOR)
    public Response restart(@Context HttpServletRequest request, @PathParam("name") String name) {
        BackendSnapshot found = backends.find(name).orElseThrow(() -> notFound(name));
        if (!found.definition().enabled()) {
            throw new ProblemException(
                    ProblemType.BACKEND_DISABLED, "'" + name + "' is disabled; enable it and it starts");
        }
        return Response.accepted(details(backends.restart(name).orElseThrow(() -> notFound(name))))
                .build();
    }

    @POST
    @Audited("tool.accept")
    @OperatorTenantOnly
    @Path("{name}/tools/{tool}/accept")
    public Response accept(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name,
            @PathParam("tool") String tool) {
        if (backends.find(name).isEmpty()) {
            throw notFound(name);
        }
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("hash"));
        String hash = body.text("hash", MAX_NAME_LENGTH).orElseThrow(() -> body.invalidMember("hash", "is missing"));
        PinnedToolDefinition known = backends.tools(name).stream()
                .filter(each -> each.name().equals(tool))
                .findFirst()
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND,
                        "'" + name + "' has no tool '" + RequestContexts.abbreviate(tool) + "'"));
        if (!known.isQuarantined()) {
            throw new ProblemException(
                    ProblemType.NOT_QUARANTINED,
                    "the definition of '" + name + "." + tool + "' has not changed since it was accepted");
        }
        if (!backends.acceptToolChange(name, tool, hash)) {
            throw new ProblemException(
                    ProblemType.DEFINITION_CHANGED,
                    "'hash' is not the hash of the pending definition of '" + name + "." + tool
                            + "'; review that definition and send its 'pendingHash'");
        }
        return Response.ok(details(backends.find(name).orElseThrow(() -> notFound(name))))
                .build();
    }

    private ObjectNode details(BackendSnapshot view) {
        return BackendMapper.details(
                view,
                backends.secretSettings(view.definition().kind()),
                backends.tools(view.definition().name()),
                backends.unusableTools(view.definition().name()),
                backends.latencies(view.definition().name()));
    }

    /**
     * Returns whether the backend is that of a bean which this node does not have, such as that of a removed jar. A
     * node that has the bean adds the backend again at its start.
     */
    private boolean isLeftBehind(String name) {
        return backends.isNotHosted(name)
                && backends.find(name)
                        .filter(found -> found.definition().origin() == BackendOrigin.BUILT_IN)
                        .isPresent();
    }

    private BackendSnapshot requireChangeable(String name) {
        BackendSnapshot found = backends.find(name).orElseThrow(() -> notFound(name));
        if (found.definition().origin() == BackendOrigin.BUILT_IN) {
            throw new ProblemException(
                    ProblemType.BACKEND_FIXED,
                    "'" + name + "' is a bean of the application or of a jar; change it there, or remove the jar, and "
                            + "restart the service");
        } else if (found.definition().origin() != BackendOrigin.API) {
            throw new ProblemException(
                    ProblemType.BACKEND_FIXED,
                    "'" + name
                            + "' is defined in the service's backends file; change it there and restart the service");
        }
        return found;
    }

    private static String kind(JsonMembers body) {
        return body.text("kind", MAX_NAME_LENGTH).orElseThrow(() -> body.invalidMember("kind", "is missing"));
    }

    private static Json settings(JsonMembers body) {
        return body.object("settings").isPresent()
                ? body.json("settings").orElse(Json.EMPTY_OBJECT)
                : Json.EMPTY_OBJECT;
    }

    private static boolean enabled(JsonMembers body) {
        return body.flag("enabled").orElse(true);
    }

    private static ProblemException notFound(String name) {
        return new ProblemException(
                ProblemType.NOT_FOUND, "there is no configured backend '" + RequestContexts.abbreviate(name) + "'");
    }
}
