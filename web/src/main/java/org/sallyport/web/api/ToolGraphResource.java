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
import org.sallyport.auth.Role;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.tool.ToolName;
import org.sallyport.toolgraph.ToolGraph;
import org.sallyport.toolgraph.ToolGraphService;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.RolesAllowed;

/** The tool graph: the tool usage learned from the tenant's executions. */
@ApplicationScoped
@Path("tool-graph")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ToolGraphResource {
    private static final int DEFAULT_TOOLS = 60;
    private static final int MAX_TOOLS = 300;
    private static final int MAX_EDGES_PER_TOOL = 5;
    private static final int MAX_INTENTS = 5;
    private static final int DEFAULT_NEXT_TOOLS = 10;
    private static final int MAX_NEXT_TOOLS = 100;
    private static final int MAX_NAME_LENGTH = 500;

    private final InstantSource clock = InstantSource.system();

    @Inject
    ToolGraphService graphs;

    @Inject
    ToolCatalog catalog;

    @GET
    public Response graph(
            @Context HttpServletRequest request,
            @QueryParam("tool") @Nullable String tool,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("since") @Nullable String since) {
        int maxTools = (int) RequestParameters.longInRange("limit", limit, DEFAULT_TOOLS, 1, MAX_TOOLS);
        Optional<Instant> moment = parseSince(since);
        Optional<String> center = tool(tool);
        ToolGraph all = graph(request, moment);
        ToolGraph wanted =
                center.map(name -> all.neighborhood(name, Integer.MAX_VALUE)).orElse(all);
        ToolGraph shown =
                center.map(name -> all.neighborhood(name, maxTools)).orElseGet(() -> all.mostCalled(maxTools));
        Map<String, List<String>> intents = shown.intentWords();
        ObjectNode json = ExecutionMapper.object();
        json.put("since", graphs.firstWeekStart(moment).toString());
        ArrayNode nodes = json.putArray("nodes");
        shown.nodes().forEach(node -> nodes.add(node(node, intents.getOrDefault(node.tool(), List.of()))));
        List<ToolGraph.ToolEdge> edges = shown.edges().stream()
                .limit((long) MAX_EDGES_PER_TOOL * Math.max(1, shown.nodes().size()))
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
        int maxTools = (int) RequestParameters.longInRange("limit", limit, DEFAULT_NEXT_TOOLS, 1, MAX_NEXT_TOOLS);
        Optional<Instant> moment = parseSince(since);
        Optional<String> after = tool(tool);
        ToolGraph all = graph(request, moment);
        List<ToolGraph.NextTool> next = after.map(all::nextTools).orElseGet(all::firstTools);
        return Response.ok(ExecutionMapper.list(
                        next.stream().limit(maxTools).map(this::next).toList(), Optional.empty()))
                .build();
    }

    private Optional<Instant> parseSince(@Nullable String since) {
        return Optional.ofNullable(since)
                .filter(text -> !text.isEmpty())
                .map(text -> Iso8601.parseSince("since", text, clock.instant()));
    }

    /** The graph without tools that no longer exist. */
    private ToolGraph graph(HttpServletRequest request, Optional<Instant> since) {
        return graphs.graphSince(RequestContexts.caller(request).tenant(), since)
                .filterTools(this::toolExists);
    }

    private boolean toolExists(String tool) {
        ToolName name = ToolName.parse(tool);
        return name.backend().equals(CapabilityToolProvider.BACKEND)
                || catalog.find(name).isPresent();
    }

    private Optional<String> tool(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return Optional.empty();
        }
        if (text.length() > MAX_NAME_LENGTH || text.indexOf('.') < 1 || text.endsWith(".")) {
            throw RequestParameters.invalidParameter("tool", "must be the name of a tool, such as demo.add");
        }
        if (!toolExists(text)) {
            throw new ProblemException(
                    ProblemType.NOT_FOUND, "there is no tool '" + RequestContexts.abbreviate(text) + "'");
        }
        return Optional.of(text);
    }

    private static ObjectNode node(ToolGraph.ToolNode node, List<String> words) {
        ObjectNode json = ExecutionMapper.object()
                .put("tool", node.tool())
                .put("calls", node.calls())
                .put("success", roundToThousandth(node.successRate()))
                .put("meanMillis", Math.round(node.meanMillis()))
                .put("firstCalls", node.firstCalls())
                .put("lastAt", node.lastUsedAt().toString());
        ArrayNode intents = json.putArray("intents");
        words.stream().limit(MAX_INTENTS).forEach(intents::add);
        return json;
    }

    private static ObjectNode edge(ToolGraph.ToolEdge edge) {
        return ExecutionMapper.object()
                .put("from", edge.from())
                .put("to", edge.to())
                .put("calls", edge.calls())
                .put("success", roundToThousandth(edge.successRate()));
    }

    private ObjectNode next(ToolGraph.NextTool next) {
        ObjectNode json = ExecutionMapper.object()
                .put("tool", next.tool())
                .put("calls", next.calls())
                .put("share", roundToThousandth(next.share()))
                .put("success", roundToThousandth(next.successRate()));
        catalog.find(ToolName.parse(next.tool()))
                .ifPresent(tool -> json.put("description", tool.spec().description()));
        return json;
    }

    /** Rounds to three decimal places. */
    private static double roundToThousandth(double share) {
        return Math.round(share * 1_000) / 1_000.0;
    }
}
