package org.sallyport.web.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.tool.ToolName;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.api.RequestContexts;
import org.sallyport.web.api.ScriptToolNames;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that shows the full description of one tool, as scripts see it. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class GetToolInterface implements McpTool {
    private static final int MAX_NAME_LENGTH = 500;

    private final ToolCatalog catalog;

    @Inject
    public GetToolInterface(ToolCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public String name() {
        return "get_tool_interface";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        JsonMembers arguments = new JsonMembers(dialog.arguments());
        arguments.rejectUnknown(Set.of("name"));
        String name = arguments
                .text("name", MAX_NAME_LENGTH)
                .orElseThrow(() -> arguments.invalidMember("name", "is missing: backend.tool"));
        ScriptToolNames names = ScriptToolNames.of(catalog);
        CatalogTool tool = names.find(name).orElseThrow(() -> unknown(name));
        return ToolOutcome.completed(shown(tool));
    }

    private static ObjectNode shown(CatalogTool tool) {
        try {
            ObjectNode shown = (ObjectNode)
                    JsonRpcWriter.MAPPER.readTree(tool.description().text());
            shown.put("name", tool.path());
            shown.put("originalName", tool.spec().name().toString());
            shown.put("call", "await tools." + tool.path() + "(args)");
            return shown;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the interface of a tool is not valid JSON", e);
        }
    }

    private ProblemException unknown(String name) {
        List<String> nearest = name.indexOf('.') > 0 && name.indexOf('.') < name.length() - 1
                ? catalog.nearest(ToolName.parse(name)).stream()
                        .map(ToolName::toString)
                        .toList()
                : List.of();
        return new ProblemException(Problem.of(
                ProblemType.NOT_FOUND,
                "there is no tool '" + RequestContexts.abbreviate(name) + "'"
                        + (nearest.isEmpty()
                                ? "; use search_tools to find one"
                                : "; similar names: " + String.join(", ", nearest)),
                members -> nearest.forEach(members.withArray("nearest")::add)));
    }
}
