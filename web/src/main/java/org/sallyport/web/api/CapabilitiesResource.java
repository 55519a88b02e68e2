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
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.UsedTool;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.catalog.CapabilityContractChecker;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/**
 * Published capabilities. Only operators may publish, because others run the published script under a name that they
 * trust.
 */
@ApplicationScoped
@Path("capabilities")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class CapabilitiesResource {
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;
    private static final int MAX_SEARCH_LENGTH = 200;
    private static final int MAX_REASON_LENGTH = 2_000;
    private static final String VERSION_PATH = "{name}/versions/{version}";

    private final InstantSource clock = InstantSource.system();

    @Inject
    CapabilityStore store;

    @Inject
    CapabilityContractChecker contracts;

    @Inject
    CapabilityRunService runs;

    @Inject
    CapabilityPublisher publisher;

    @Inject
    UsedToolStore usedTools;

    @Inject
    JsonSchemaValidator schemas;

    @Inject
    StrictJsonReader json;

    @Inject
    RequestMemory memory;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("q") @Nullable String search,
            @QueryParam("broken") @Nullable String broken,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        String tenant = RequestContexts.caller(request).tenant();
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        String words = search == null ? "" : search.strip();
        if (words.length() > MAX_SEARCH_LENGTH) {
            throw RequestParameters.invalidParameter("q", "must have at most " + MAX_SEARCH_LENGTH + " characters");
        }
        return Response.ok(
                        RequestParameters.flag("broken", broken)
                                ? new BrokenCapabilityFinder(store, contracts, clock)
                                        .page(tenant, words, Cursor.decodeName(cursor), size)
                                : page(tenant, words, Cursor.decodeName(cursor), size))
                .build();
    }

    private ObjectNode page(String tenant, String words, String after, int size) {
        List<String> names = store.searchNames(tenant, words, after, size + 1);
        boolean more = names.size() > size;
        List<String> shown = more ? names.subList(0, size) : names;
        return ExecutionMapper.list(
                shown.stream()
                        .map(name -> CapabilityMapper.summary(name, store.listVersions(tenant, name)))
                        .toList(),
                more ? Optional.of(Cursor.encodeName(shown.get(size - 1))) : Optional.empty());
    }

    @POST
    @Audited("capability.publish")
    @RolesAllowed(Role.OPERATOR)
    public void publish(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @Suspended AsyncResponse response) {
        CapabilityReader.PublishCapabilityRequest wanted =
                CapabilityReader.readPublishRequest(new JsonMembers(json.read(headers, in)), schemas);
        wanted.content().sandbox().ifPresent(mode -> AuditRecorder.addNote(request, "sandbox " + mode.text()));
        Caller caller = RequestContexts.caller(request);
        memory.holdUntilDone(() -> publisher.publish(caller, wanted))
                .thenAccept(response::resume)
                .whenComplete(ExecutionResponder.resumeOnFailure(response));
    }

    @GET
    @Path("{name}")
    public Response versions(@Context HttpServletRequest request, @PathParam("name") String name) {
        List<CapabilityVersionSummary> versions =
                store.listVersions(RequestContexts.caller(request).tenant(), name);
        if (versions.isEmpty()) {
            throw new ProblemException(
                    ProblemType.NOT_FOUND, "there is no capability '" + RequestContexts.abbreviate(name) + "'");
        }
        return Response.ok(CapabilityMapper.versions(name, versions)).build();
    }

    @GET
    @Path(VERSION_PATH)
    public Response version(
            @Context HttpServletRequest request,
            @PathParam("name") String name,
            @PathParam("version") String version,
            @QueryParam("breaches") @Nullable String breaches) {
        boolean tried = RequestParameters.flag("breaches", breaches);
        Capability found = find(request, name, version);
        String tenant = RequestContexts.caller(request).tenant();
        ObjectNode json = CapabilityMapper.details(found);
        List<UsedTool> used = usedTools.listUsedTools(tenant, found.ref());
        json.set("usedTools", CapabilityMapper.usedTools(used, contracts.compare(tenant, used)));
        if (tried) {
            json.set("breaches", CapabilityMapper.breaches(contracts.findBreaches(tenant, found)));
        }
        return Response.ok(json).build();
    }

    @GET
    @Path(VERSION_PATH + "/code")
    public Response code(
            @Context HttpServletRequest request, @PathParam("name") String name, @PathParam("version") String version) {
        return Response.ok(CapabilityMapper.code(find(request, name, version))).build();
    }

    @POST
    @Audited("capability.deprecate")
    @Path(VERSION_PATH + "/deprecate")
    @RolesAllowed(Role.OPERATOR)
    public Response deprecate(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name,
            @PathParam("version") String version) {
        Capability found = find(request, name, version);
        JsonMembers body = new JsonMembers(json.read(headers, in));
        body.rejectUnknown(Set.of("reason"));
        String reason = body.text("reason", MAX_REASON_LENGTH).orElse("");
        store.deprecate(RequestContexts.caller(request).tenant(), name, found.version(), reason);
        return Response.ok(CapabilityMapper.details(
                        find(request, name, found.version().toString())))
                .build();
    }

    private Capability find(HttpServletRequest request, String name, String version) {
        return runs.find(RequestContexts.caller(request).tenant(), name, version)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND,
                        "there is no version '" + RequestContexts.abbreviate(version) + "' of a capability '"
                                + RequestContexts.abbreviate(name) + "'"));
    }
}
