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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.script.KeptScript;
import org.sallyport.script.ScriptStore;
import org.sallyport.script.ScriptSummary;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.Allowed;

/** Scripts that went well and were kept under a name: look, forget, make a capability of one. They are run as executions are. */
@ApplicationScoped
@Path("scripts")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ScriptsResource {
    private static final String BASE = "/api/v1/scripts/";
    private static final String ONE = "{name}";
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 200;
    private static final int LONGEST_SEARCH = 200;

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
        int size = (int) Math.min(LARGEST_PAGE, Parameters.whole("limit", limit, PAGE, 1, Integer.MAX_VALUE));
        String words = search == null ? "" : search.strip();
        if (words.length() > LONGEST_SEARCH) {
            throw Parameters.fault("q", "must have at most " + LONGEST_SEARCH + " characters");
        }
        List<ScriptSummary> page =
                store.list(Requests.caller(request).tenant(), words, Cursor.decodeName(cursor), size + 1);
        boolean more = page.size() > size;
        List<ScriptSummary> shown = more ? page.subList(0, size) : page;
        return Response.ok(Representation.list(
                        shown.stream().map(ScriptsResource::summary).toList(),
                        more ? Optional.of(Cursor.encodeName(shown.get(size - 1).name())) : Optional.empty()))
                .build();
    }

    @GET
    @Path(ONE)
    public Response get(@Context HttpServletRequest request, @PathParam("name") String name) {
        KeptScript script = find(Requests.caller(request), name);
        return Response.ok(summary(script.summary()).put("code", script.code())).build();
    }

    @DELETE
    @Path(ONE)
    @Audited("script.delete")
    @Allowed({Role.SUBMITTER, Role.OPERATOR})
    public Response delete(@Context HttpServletRequest request, @PathParam("name") String name) {
        if (!store.delete(Requests.caller(request).tenant(), name)) {
            throw none(name);
        }
        return Response.noContent().build();
    }

    @DELETE
    @Audited("script.clear")
    @Allowed(Role.OPERATOR)
    public Response clear(@Context HttpServletRequest request) {
        int count = store.clear(Requests.caller(request).tenant());
        return Response.ok(Representation.object().put("deleted", count)).build();
    }

    @POST
    @Path(ONE + "/capability")
    @Audited("capability.publish")
    @Allowed(Role.OPERATOR)
    public void promote(
            InputStream in,
            @Context HttpServletRequest request,
            @Context HttpHeaders headers,
            @PathParam("name") String name,
            @Suspended AsyncResponse response) {
        Caller caller = Requests.caller(request);
        ScriptSummary script = find(caller, name).summary();
        if (executions.extent(caller.tenant(), script.lastRun()).isEmpty()) {
            throw new ProblemException(
                    ProblemType.NOT_PROMOTABLE,
                    "the execution that the script was kept of is there no more; run it with 'cacheAs' once more, or publish its code with tests of your own");
        }
        promotion.promote(in, request, headers, script.lastRun().toString(), response);
    }

    private KeptScript find(Caller caller, String name) {
        return store.find(caller.tenant(), name).orElseThrow(() -> none(name));
    }

    private static ProblemException none(String name) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no script '" + Requests.shown(name) + "'");
    }

    private static ObjectNode summary(ScriptSummary script) {
        ObjectNode json = Representation.object()
                .put("name", script.name())
                .put("description", script.description())
                .put("language", script.language().name().toLowerCase(Locale.ROOT))
                .put("hash", script.hash())
                .put("keeper", script.keeper())
                .put("execution", script.lastRun().toString())
                .put("keptAt", script.keptAt().toString())
                .put("usedAt", script.usedAt().toString());
        String self = BASE + script.name();
        json.putObject("links").put("self", self).put("capability", self + "/capability");
        return json;
    }
}
