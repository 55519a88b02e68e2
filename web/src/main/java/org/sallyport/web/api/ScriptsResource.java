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
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.script.SavedScript;
import org.sallyport.script.ScriptStore;
import org.sallyport.script.ScriptSummary;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.RolesAllowed;

/**
 * Saved scripts: scripts that succeeded and were saved under a name. Shows, deletes and promotes them to capabilities;
 * they run like other executions.
 */
@ApplicationScoped
@Path("scripts")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ScriptsResource {
    private static final String BASE = "/api/v1/scripts/";
    private static final String NAME_PATH = "{name}";
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;
    private static final int MAX_SEARCH_LENGTH = 200;

    @Inject
    ScriptStore store;

    @Inject
    ExecutionStore executions;

    @Inject
    PromotionResource promotion;

    @GET
    public Response list(
            @Context HttpServletRequest request,
            @QueryParam("q") @Nullable String search,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        String words = search == null ? "" : search.strip();
        if (words.length() > MAX_SEARCH_LENGTH) {
            throw RequestParameters.invalidParameter("q", "must have at most " + MAX_SEARCH_LENGTH + " characters");
        }
        List<ScriptSummary> page =
                store.list(RequestContexts.caller(request).tenant(), words, Cursor.decodeName(cursor), size + 1);
        boolean more = page.size() > size;
        List<ScriptSummary> shown = more ? page.subList(0, size) : page;
        return Response.ok(ExecutionMapper.list(
                        shown.stream().map(ScriptsResource::summary).toList(),
                        more ? Optional.of(Cursor.encodeName(shown.get(size - 1).name())) : Optional.empty()))
                .build();
    }

    @GET
    @Path(NAME_PATH)
    public Response get(@Context HttpServletRequest request, @PathParam("name") String name) {
        SavedScript script = find(RequestContexts.caller(request), name);
        return Response.ok(summary(script.summary()).put("code", script.code())).build();
    }

    @DELETE
    @Path(NAME_PATH)
    @Audited("script.delete")
    @RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
    public Response delete(@Context HttpServletRequest request, @PathParam("name") String name) {
        if (!store.delete(RequestContexts.caller(request).tenant(), name)) {
            throw notFound(name);
        }
        return Response.noContent().build();
    }

    @DELETE
    @Audited("script.clear")
    @RolesAllowed(Role.OPERATOR)
    public Response clear(@Context HttpServletRequest request) {
        int count = store.deleteAll(RequestContexts.caller(request).tenant());
        return Response.ok(ExecutionMapper.object().put("deleted", count)).build();
    }

    @POST
    @Path(NAME_PATH + "/capability")
    @Audited("capability.publish")
    @RolesAllowed(Role.OPERATOR)
    public void promote(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name,
            @Suspended AsyncResponse response) {
        Caller caller = RequestContexts.caller(request);
        ScriptSummary script = find(caller, name).summary();
        if (executions.pollVersion(caller.tenant(), script.lastRun()).isEmpty()) {
            throw new ProblemException(
                    ProblemType.NOT_PROMOTABLE,
                    "the execution that the script was saved from no longer exists; run the script with 'cacheAs'"
                            + " again, or publish its code with your own tests");
        }
        promotion.promote(in, request, headers, script.lastRun().toString(), response);
    }

    private SavedScript find(Caller caller, String name) {
        return store.find(caller.tenant(), name).orElseThrow(() -> notFound(name));
    }

    private static ProblemException notFound(String name) {
        return new ProblemException(
                ProblemType.NOT_FOUND, "there is no script '" + RequestContexts.abbreviate(name) + "'");
    }

    private static ObjectNode summary(ScriptSummary script) {
        ObjectNode json = ExecutionMapper.object()
                .put("name", script.name())
                .put("description", script.description())
                .put("language", script.language().name().toLowerCase(Locale.ROOT))
                .put("hash", script.hash())
                .put("savedBy", script.savedBy())
                .put("execution", script.lastRun().toString())
                .put("savedAt", script.savedAt().toString())
                .put("usedAt", script.usedAt().toString());
        String self = BASE + script.name();
        json.putObject("links").put("self", self).put("capability", self + "/capability");
        return json;
    }
}
