package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Role;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.tool.ToolHints;
import org.sallyport.toolgraph.ToolGraphs;
import org.sallyport.web.api.CallNames;
import org.sallyport.web.api.Members;
import org.sallyport.web.security.Allowed;

/** Finds tools that scripts can call, by words. */
@Dependent
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class SearchTools implements AgentTool {
    private static final int LONGEST_QUERY = 500;
    private static final int SHOWN_CHARS = 300;
    private static final long USUAL = 20;
    private static final long MOST = 200;

    private final Catalog catalog;
    private final ToolGraphs graphs;

    @Inject
    public SearchTools(Catalog catalog, ToolGraphs graphs) {
        this.catalog = catalog;
        this.graphs = graphs;
    }

    @Override
    public String name() {
        return "search_tools";
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        Members arguments = new Members(dialog.arguments());
        arguments.allow(Set.of("query", "backend", "limit"));
        String words = arguments.text("query", LONGEST_QUERY).orElse("");
        String backend = arguments.text("backend", LONGEST_QUERY).orElse("");
        long limit = arguments.whole("limit").orElse(USUAL);
        if (limit < 1 || limit > MOST) {
            throw arguments.fault("limit", "must be from 1 to " + MOST);
        }
        List<CatalogTool> found = catalog
                .search(words, graphs.recent(dialog.caller().tenant()))
                .stream()
                .filter(tool -> backend.isEmpty() || tool.backend().name().equals(backend))
                .toList();
        CallNames names = CallNames.of(catalog);
        ObjectNode content = JsonNodeFactory.instance.objectNode();
        ArrayNode items = content.putArray("items");
        found.stream().limit(limit).forEach(tool -> items.add(shown(tool, names)));
        content.put("total", found.size());
        return Outcome.now(content);
    }

    private static ObjectNode shown(CatalogTool tool, CallNames names) {
        ToolHints hints = tool.spec().hints();
        String description = tool.spec().description();
        return JsonNodeFactory.instance
                .objectNode()
                .put("name", names.of(tool))
                .put(
                        "description",
                        description.length() > SHOWN_CHARS ? description.substring(0, SHOWN_CHARS) + "…" : description)
                .put("readOnly", hints.readOnly())
                .put("idempotent", hints.idempotent())
                .put("destructive", hints.destructive());
    }
}
