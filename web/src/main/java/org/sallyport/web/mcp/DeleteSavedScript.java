package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.api.ScriptFacade;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that deletes a saved script. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
public class DeleteSavedScript implements McpTool {
    private final ScriptFacade scripts;
    private final AuditRecorder auditRecorder;

    @Inject
    public DeleteSavedScript(ScriptFacade scripts, AuditRecorder auditRecorder) {
        this.scripts = scripts;
        this.auditRecorder = auditRecorder;
    }

    @Override
    public String name() {
        return "delete_saved_script";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        JsonMembers arguments = new JsonMembers(dialog.arguments());
        arguments.rejectUnknown(Set.of(ScriptView.NAME_ARGUMENT));
        String name = ScriptView.readName(arguments);
        return ToolOutcome.completed(
                auditRecorder.auditMcpAction(dialog.caller(), dialog.address(), "script.delete", name, () -> {
                    scripts.delete(dialog.caller(), name);
                    return JsonNodeFactory.instance.objectNode().put("deleted", name);
                }));
    }
}
