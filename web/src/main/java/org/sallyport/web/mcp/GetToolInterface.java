package org.sallyport.web.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Role;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.tool.ToolName;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.api.CallNames;
import org.sallyport.web.api.Members;
import org.sallyport.web.api.Requests;
import org.sallyport.web.security.Allowed;

/** Shows all that is known of one tool, as scripts see it. */
@Dependent
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class GetToolInterface implements AgentTool {
    private static final int LONGEST_NAME = 500;

    private final Catalog catalog;

    @Inject
    public GetToolInterface(Catalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public String name() {
        return "get_tool_interface";
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        Members arguments = new Members(dialog.arguments());
        arguments.allow(Set.of("name"));
        String name = arguments
                .text("name", LONGEST_NAME)
                .orElseThrow(() -> arguments.fault("name", "is missing: backend.tool"));
        CallNames names = CallNames.of(catalog);
        CatalogTool tool = names.find(name).orElseThrow(() -> unknown(name));
        return Outcome.now(shown(tool, names.of(tool)));
    }

    private static ObjectNode shown(CatalogTool tool, String name) {
        try {
            ObjectNode shown = (ObjectNode) Wire.MAPPER.readTree(tool.about().text());
            shown.put("name", name);
            shown.put("originalName", tool.spec().name().toString());
            shown.put("call", "await tools." + name + "(args)");
            return shown;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tool's interface is no JSON", e);
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
                "there is no tool '" + Requests.shown(name) + "'"
                        + (nearest.isEmpty()
                                ? "; search_tools finds those there are"
                                : "; like it are " + String.join(", ", nearest)),
                members -> nearest.forEach(members.withArray("nearest")::add)));
    }
}
