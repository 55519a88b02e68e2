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
import org.sallyport.access.Role;
import org.sallyport.catalog.BackendDefinition.Origin;
import org.sallyport.catalog.PinnedTool;
import org.sallyport.connector.BackendView;
import org.sallyport.connector.Backends;
import org.sallyport.tool.Json;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;
import org.sallyport.web.security.AuthenticationFilter;
import org.sallyport.web.security.OperatingTenant;

/**
 * The backends that were configured: everybody sees which there are. A process that a backend starts can do all that the service
 * can, so only administrators of the tenant that operates the installation change them.
 */
@ApplicationScoped
@Path("backends")
@Produces(MediaType.APPLICATION_JSON)
@Allowed(Role.ADMIN)
public class BackendsResource {
    private static final Set<Role> LOOK = Set.of(Role.OPERATOR, Role.ADMIN, Role.AUDITOR);
    private static final int LONGEST_NAME = 200;

    @Inject
    Backends backends;

    @Inject
    StrictJson json;

    @GET
    @Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
    public Response list(@Context HttpServletRequest request) {
        Requests.caller(request);
        return Response.ok(Representation.list(
                        backends.list().stream()
                                .map(BackendRepresentation::backend)
                                .toList(),
                        Optional.empty()))
                .build();
    }

    @POST
    @Audited("backend.add")
    @OperatingTenant
    public Response add(InputStream in, @Context HttpServletRequest request, @Context HttpHeaders headers) {
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("name", "kind", "settings", "enabled"));
        String name = body.text("name", LONGEST_NAME).orElseThrow(() -> body.fault("name", "is missing"));
        BackendView added = backends.add(
                        name,
                        kind(body),
                        settings(body),
                        enabled(body),
                        Requests.caller(request).tenant())
                .orElseThrow(() -> new ProblemException(
                        ProblemType.BACKEND_EXISTS,
                        "there is a backend '" + Requests.shown(name) + "', or one whose name differs in case alone"));
        return Response.created(URI.create("/api/v1/backends/" + name))
                .entity(whole(added))
                .build();
    }

    @GET
    @Path("{name}")
    @Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
    public Response get(@Context HttpServletRequest request, @PathParam("name") String name) {
        boolean all = Requests.caller(request).roles().stream().anyMatch(LOOK::contains)
                && request.getAttribute(AuthenticationFilter.OPERATES) != null;
        BackendView found = backends.find(name).orElseThrow(() -> none(name));
        return Response.ok(all ? whole(found) : BackendRepresentation.backend(found))
                .build();
    }

    @PUT
    @Audited("backend.change")
    @OperatingTenant
    @Path("{name}")
    public Response change(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name) {
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("name", "kind", "settings", "enabled"));
        BackendView before = changeable(name);
        if (body.text("name", LONGEST_NAME).filter(other -> !other.equals(name)).isPresent()) {
            throw body.fault("name", "must be that of the path; a backend is not renamed");
        }
        String kind = kind(body);
        Json settings = BackendRepresentation.unmasked(
                        settings(body), kind, before.definition(), backends.secretSettings(kind))
                .orElseThrow(() -> body.fault(
                        "settings",
                        "hides secrets that were given for another place; where the backend changes, give them anew"));
        return Response.ok(whole(backends.change(
                                name,
                                kind,
                                settings,
                                enabled(body),
                                Requests.caller(request).tenant())
                        .orElseThrow(() -> none(name))))
                .build();
    }

    @DELETE
    @Audited("backend.delete")
    @OperatingTenant
    @Path("{name}")
    public Response remove(@Context HttpServletRequest request, @PathParam("name") String name) {
        changeable(name);
        if (!backends.remove(name)) {
            throw none(name);
        }
        return Response.noContent().build();
    }

    @POST
    @Audited("backend.restart")
    @OperatingTenant
    @Path("{name}/restart")
    @Allowed(Role.OPERATOR)
    public Response restart(@Context HttpServletRequest request, @PathParam("name") String name) {
        BackendView found = backends.find(name).orElseThrow(() -> none(name));
        if (!found.definition().enabled()) {
            throw new ProblemException(
                    ProblemType.BACKEND_DISABLED, "'" + name + "' is disabled; enable it and it starts");
        }
        return Response.accepted(whole(backends.restart(name).orElseThrow(() -> none(name))))
                .build();
    }

    @POST
    @Audited("tool.accept")
    @OperatingTenant
    @Path("{name}/tools/{tool}/accept")
    public Response accept(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name,
            @PathParam("tool") String tool) {
        if (backends.find(name).isEmpty()) {
            throw none(name);
        }
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("hash"));
        String hash = body.text("hash", LONGEST_NAME).orElseThrow(() -> body.fault("hash", "is missing"));
        PinnedTool known = backends.tools(name).stream()
                .filter(each -> each.name().equals(tool))
                .findFirst()
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND, "'" + name + "' has no tool '" + Requests.shown(tool) + "'"));
        if (!known.quarantined()) {
            throw new ProblemException(
                    ProblemType.NOT_QUARANTINED,
                    "the definition of '" + name + "." + tool + "' has not changed since it was accepted");
        }
        if (!backends.accept(name, tool, hash)) {
            throw new ProblemException(
                    ProblemType.DEFINITION_CHANGED,
                    "'hash' is not that of the definition of '" + name + "." + tool
                            + "' that waits now; look at it again and send its 'pendingHash'");
        }
        return Response.ok(whole(backends.find(name).orElseThrow(() -> none(name))))
                .build();
    }

    private ObjectNode whole(BackendView view) {
        return BackendRepresentation.whole(
                view,
                backends.secretSettings(view.definition().kind()),
                backends.tools(view.definition().name()),
                backends.latencies(view.definition().name()));
    }

    private BackendView changeable(String name) {
        BackendView found = backends.find(name).orElseThrow(() -> none(name));
        if (found.definition().origin() != Origin.API) {
            throw new ProblemException(
                    ProblemType.BACKEND_FIXED,
                    "'" + name + "' is configured by the installation's file; change it there and start again");
        }
        return found;
    }

    private static String kind(Members body) {
        return body.text("kind", LONGEST_NAME).orElseThrow(() -> body.fault("kind", "is missing"));
    }

    private static Json settings(Members body) {
        return body.object("settings").isPresent()
                ? body.json("settings").orElse(Json.EMPTY_OBJECT)
                : Json.EMPTY_OBJECT;
    }

    private static boolean enabled(Members body) {
        return body.flag("enabled").orElse(true);
    }

    private static ProblemException none(String name) {
        return new ProblemException(
                ProblemType.NOT_FOUND, "there is no configured backend '" + Requests.shown(name) + "'");
    }
}
