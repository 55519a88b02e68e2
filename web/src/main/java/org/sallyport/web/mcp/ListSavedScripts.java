package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.api.ScriptFacade;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that lists the saved scripts of the tenant page by page, by name. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ListSavedScripts implements McpTool {
    private static final int MAX_TEXT_LENGTH = 300;
    private static final long DEFAULT_PAGE_SIZE = 20;

    private final ScriptFacade scripts;

    @Inject
    public ListSavedScripts(ScriptFacade scripts) {
        this.scripts = scripts;
    }

    @Override
    public String name() {
        return "list_saved_scripts";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        JsonMembers arguments = new JsonMembers(dialog.arguments());
        arguments.rejectUnknown(Set.of("query", "limit", "cursor"));
        String words = arguments.text("query", MAX_TEXT_LENGTH).orElse("");
        long limit = arguments.longValue("limit").orElse(DEFAULT_PAGE_SIZE);
        String cursor = arguments.text("cursor", MAX_TEXT_LENGTH).orElse("");
        return ToolOutcome.completed(
                ScriptView.page(scripts.list(dialog.caller(), words, Long.toString(limit), cursor)));
    }
}
