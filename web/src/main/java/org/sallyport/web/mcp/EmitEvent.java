package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.EventFacade;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that emits an event for the scripts of the tenant. */
@Dependent
@RolesAllowed(Role.SUBMITTER)
public class EmitEvent implements McpTool {
    private final EventFacade facade;

    @Inject
    public EmitEvent(EventFacade facade) {
        this.facade = facade;
    }

    @Override
    public String name() {
        return "emit_event";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        ObjectNode body = dialog.takeArguments();
        Optional<String> key =
                new JsonMembers(body).text(McpExecutions.IDEMPOTENCY_KEY_ARGUMENT, McpExecutions.MAX_KEY_LENGTH);
        body.remove(McpExecutions.IDEMPOTENCY_KEY_ARGUMENT);
        return ToolOutcome.completed(facade.emit(dialog.caller(), body, key));
    }
}
