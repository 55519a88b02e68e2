package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.api.ScriptFacade;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that shows a saved script with its code. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class GetSavedScript implements McpTool {
    private final ScriptFacade scripts;

    @Inject
    public GetSavedScript(ScriptFacade scripts) {
        this.scripts = scripts;
    }

    @Override
    public String name() {
        return "get_saved_script";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        JsonMembers arguments = new JsonMembers(dialog.arguments());
        arguments.rejectUnknown(Set.of(ScriptView.NAME_ARGUMENT));
        return ToolOutcome.completed(ScriptView.script(scripts.show(dialog.caller(), ScriptView.readName(arguments))));
    }
}
