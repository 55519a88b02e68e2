package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Role;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.catalog.Catalog;
import org.sallyport.tool.ToolName;
import org.sallyport.toolgraph.ToolGraph;
import org.sallyport.toolgraph.ToolGraphs;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.Allowed;

/** What the tenant's executions have taught of the tools there are. */
@ApplicationScoped
@Path("tool-graph")
@Produces(MediaType.APPLICATION_JSON)
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ToolGraphResource {
    private static final int TOOLS = 60;
    private static final int MOST_TOOLS = 300;
    private static final int EDGES_PER_TOOL = 5;
    private static final int INTENTS = 5;
    private static final int NEXT = 10;
    private static final int MOST_NEXT = 100;
    private static final int LONGEST_NAME = 500;

    private final InstantSource clock = InstantSource.system();

    @Inject
    ToolGraphs graphs;

    @Inject
    Catalog catalog;

    @GET
    public Response graph(
            @Context HttpServletRequest request,
            @QueryParam("tool") @Nullable String tool,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("since") @Nullable String since) {
        int most = (int) Parameters.whole("limit", limit, TOOLS, 1, MOST_TOOLS);
        Optional<Instant> moment = moment(since);
        Optional<String> center = tool(tool);
        ToolGraph all = graph(request, moment);
        ToolGraph wanted =
                center.map(name -> all.around(name, Integer.MAX_VALUE)).orElse(all);
        ToolGraph shown = center.map(name -> all.around(name, most)).orElseGet(() -> all.most(most));
        Map<String, List<String>> intents = shown.intents();
        ObjectNode json = Representation.object();
        json.put("since", graphs.from(moment).toString());
        ArrayNode nodes = json.putArray("nodes");
        shown.nodes().forEach(node -> nodes.add(node(node, intents.getOrDefault(node.tool(), List.of()))));
        List<ToolGraph.Edge> edges = shown.edges().stream()
                .limit((long) EDGES_PER_TOOL * Math.max(1, shown.nodes().size()))
                .toList();
        ArrayNode follows = json.putArray("edges");
        edges.forEach(edge -> follows.add(edge(edge)));
        json.put("tools", all.nodes().size());
        json.put(
                "truncated",
                shown.nodes().size() < wanted.nodes().size()
                        || edges.size() < shown.edges().size());
        return Response.ok(json).build();
    }

    @GET
    @Path("next")
    public Response next(
            @Context HttpServletRequest request,
            @QueryParam("tool") @Nullable String tool,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("since") @Nullable String since) {
        int most = (int) Parameters.whole("limit", limit, NEXT, 1, MOST_NEXT);
        Optional<Instant> moment = moment(since);
        Optional<String> after = tool(tool);
        ToolGraph all = graph(request, moment);
        List<ToolGraph.Next> next = after.map(all::after).orElseGet(all::beginnings);
        return Response.ok(Representation.list(
                        next.stream().limit(most).map(this::next).toList(), Optional.empty()))
                .build();
    }

    private Optional<Instant> moment(@Nullable String since) {
        return Optional.ofNullable(since)
                .filter(text -> !text.isEmpty())
                .map(text -> Moments.since("since", text, clock.instant()));
    }

    /** Of tools that are there no more nobody needs to know. */
    private ToolGraph graph(HttpServletRequest request, Optional<Instant> since) {
        return graphs.of(Requests.caller(request).tenant(), since).only(this::isThere);
    }

    private boolean isThere(String tool) {
        ToolName name = ToolName.parse(tool);
        return name.backend().equals(CapabilityTools.BACKEND)
                || catalog.find(name).isPresent();
    }

    private Optional<String> tool(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return Optional.empty();
        }
        if (text.length() > LONGEST_NAME || text.indexOf('.') < 1 || text.endsWith(".")) {
            throw Parameters.fault("tool", "must be the name of a tool, such as demo.add");
        }
        if (!isThere(text)) {
            throw new ProblemException(ProblemType.NOT_FOUND, "there is no tool '" + Requests.shown(text) + "'");
        }
        return Optional.of(text);
    }

    private static ObjectNode node(ToolGraph.Node node, List<String> words) {
        ObjectNode json = Representation.object()
                .put("tool", node.tool())
                .put("calls", node.calls())
                .put("success", rounded(node.success()))
                .put("meanMillis", Math.round(node.meanMillis()))
                .put("begins", node.begins())
                .put("lastAt", node.last().toString());
        ArrayNode intents = json.putArray("intents");
        words.stream().limit(INTENTS).forEach(intents::add);
        return json;
    }

    private static ObjectNode edge(ToolGraph.Edge edge) {
        return Representation.object()
                .put("from", edge.from())
                .put("to", edge.to())
                .put("calls", edge.calls())
                .put("success", rounded(edge.success()));
    }

    private ObjectNode next(ToolGraph.Next next) {
        ObjectNode json = Representation.object()
                .put("tool", next.tool())
                .put("calls", next.calls())
                .put("share", rounded(next.share()))
                .put("success", rounded(next.success()));
        catalog.find(ToolName.parse(next.tool()))
                .ifPresent(tool -> json.put("description", tool.spec().description()));
        return json;
    }

    /** To a thousandth. */
    private static double rounded(double share) {
        return Math.round(share * 1_000) / 1_000.0;
    }
}
