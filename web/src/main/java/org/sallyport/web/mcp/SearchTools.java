package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.tool.ToolHints;
import org.sallyport.toolgraph.ToolGraphService;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that finds the tools that scripts can call, by words. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class SearchTools implements McpTool {
    private static final int MAX_QUERY_LENGTH = 500;
    private static final int MAX_DESCRIPTION_LENGTH = 300;
    private static final long DEFAULT_LIMIT = 20;
    private static final long MAX_LIMIT = 200;

    private final ToolCatalog catalog;
    private final ToolGraphService graphs;

    @Inject
    public SearchTools(ToolCatalog catalog, ToolGraphService graphs) {
        this.catalog = catalog;
        this.graphs = graphs;
    }

    @Override
    public String name() {
        return "search_tools";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        JsonMembers arguments = new JsonMembers(dialog.arguments());
        arguments.rejectUnknown(Set.of("query", "backend", "limit"));
        String words = arguments.text("query", MAX_QUERY_LENGTH).orElse("");
        String backend = arguments.text("backend", MAX_QUERY_LENGTH).orElse("");
        long limit = arguments.longValue("limit").orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw arguments.invalidMember("limit", "must be from 1 to " + MAX_LIMIT);
        }
        List<CatalogTool> found = catalog
                .search(words, graphs.recentGraph(dialog.caller().tenant()))
                .stream()
                .filter(tool -> backend.isEmpty() || tool.backend().name().equals(backend))
                .toList();
        ObjectNode content = JsonNodeFactory.instance.objectNode();
        ArrayNode items = content.putArray("items");
        found.stream().limit(limit).forEach(tool -> items.add(shown(tool)));
        content.put("total", found.size());
        return ToolOutcome.completed(content);
    }

    private static ObjectNode shown(CatalogTool tool) {
        ToolHints hints = tool.spec().hints();
        String description = tool.spec().description();
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("name", tool.path())
                .put(
                        "description",
                        description.length() > MAX_DESCRIPTION_LENGTH
                                ? description.substring(0, MAX_DESCRIPTION_LENGTH) + "…"
                                : description)
                .put("readOnly", hints.readOnly())
                .put("idempotent", hints.idempotent())
                .put("destructive", hints.destructive());
        tool.unusable().ifPresent(reason -> json.put("unusable", reason));
        return json;
    }
}
