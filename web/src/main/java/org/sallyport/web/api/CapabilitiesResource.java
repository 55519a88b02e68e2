package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.capability.VersionSummary;
import org.sallyport.catalog.Contracts;
import org.sallyport.submission.CapabilityRuns;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;

/** Published scripts. Others run what is published here under a name they trust: publishing is for operators. */
@ApplicationScoped
@Path("capabilities")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class CapabilitiesResource {
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 200;
    private static final int LONGEST_SEARCH = 200;
    private static final int LONGEST_REASON = 2_000;
    private static final String VERSION = "{name}/versions/{version}";

    private final InstantSource clock = InstantSource.system();

    @Inject
    CapabilityStore store;

    @Inject
    Contracts contracts;

    @Inject
    CapabilityRuns runs;

    @Inject
    CapabilityPublication publication;

    @Inject
    SchemaCheck schemas;

    @Inject
    StrictJson json;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("q") @Nullable String search,
            @QueryParam("broken") @Nullable String broken,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        String tenant = Requests.caller(request).tenant();
        int size = (int) Math.min(LARGEST_PAGE, Parameters.whole("limit", limit, PAGE, 1, Integer.MAX_VALUE));
        String words = search == null ? "" : search.strip();
        if (words.length() > LONGEST_SEARCH) {
            throw Parameters.fault("q", "must have at most " + LONGEST_SEARCH + " characters");
        }
        return Response.ok(
                        Parameters.flag("broken", broken)
                                ? new BrokenCapabilities(store, contracts, clock)
                                        .page(tenant, words, Cursor.decodeName(cursor), size)
                                : page(tenant, words, Cursor.decodeName(cursor), size))
                .build();
    }

    private ObjectNode page(String tenant, String words, String after, int size) {
        List<String> names = store.names(tenant, words, after, size + 1);
        boolean more = names.size() > size;
        List<String> shown = more ? names.subList(0, size) : names;
        return Representation.list(
                shown.stream()
                        .map(name -> CapabilityAnswers.item(name, store.versions(tenant, name)))
                        .toList(),
                more ? Optional.of(Cursor.encodeName(shown.get(size - 1))) : Optional.empty());
    }

    @POST
    @Audited("capability.publish")
    @Allowed(Role.OPERATOR)
    public void publish(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        publication
                .publish(
                        caller,
                        CapabilityReader.published(
                                new Members(json.read(headers, in).json()), schemas))
                .thenAccept(response::resume)
                .whenComplete(ExecutionAnswers.fail(response));
    }

    @GET
    @Path("{name}")
    public Response versions(@Context HttpServletRequest request, @PathParam("name") String name) {
        List<VersionSummary> versions = store.versions(Requests.caller(request).tenant(), name);
        if (versions.isEmpty()) {
            throw new ProblemException(ProblemType.NOT_FOUND, "there is no capability '" + Requests.shown(name) + "'");
        }
        return Response.ok(CapabilityAnswers.versions(name, versions)).build();
    }

    @GET
    @Path(VERSION)
    public Response version(
            @Context HttpServletRequest request,
            @PathParam("name") String name,
            @PathParam("version") String version,
            @QueryParam("breaches") @Nullable String breaches) {
        boolean tried = Parameters.flag("breaches", breaches);
        Capability found = find(request, name, version);
        ObjectNode json = CapabilityAnswers.whole(found);
        if (tried) {
            json.set(
                    "breaches",
                    CapabilityAnswers.breaches(
                            contracts.breaches(Requests.caller(request).tenant(), found)));
        }
        return Response.ok(json).build();
    }

    @GET
    @Path(VERSION + "/code")
    public Response code(
            @Context HttpServletRequest request, @PathParam("name") String name, @PathParam("version") String version) {
        return Response.ok(CapabilityAnswers.code(find(request, name, version))).build();
    }

    @POST
    @Audited("capability.deprecate")
    @Path(VERSION + "/deprecate")
    @Allowed(Role.OPERATOR)
    public Response deprecate(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name,
            @PathParam("version") String version) {
        Capability found = find(request, name, version);
        Members body = new Members(json.read(headers, in).json());
        body.allow(Set.of("reason"));
        String reason = body.text("reason", LONGEST_REASON).orElse("");
        store.deprecate(Requests.caller(request).tenant(), name, found.version(), reason);
        return Response.ok(CapabilityAnswers.whole(
                        find(request, name, found.version().toString())))
                .build();
    }

    private Capability find(HttpServletRequest request, String name, String version) {
        return runs.find(Requests.caller(request).tenant(), name, version)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND,
                        "there is no version '" + Requests.shown(version) + "' of a capability '" + Requests.shown(name)
                                + "'"));
    }
}
