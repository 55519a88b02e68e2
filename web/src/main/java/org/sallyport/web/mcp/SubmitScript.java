package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.ExecutionFacade;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that submits a script for execution and returns at once. */
@Dependent
@RolesAllowed(Role.SUBMITTER)
public class SubmitScript implements McpTool {
    private final ExecutionFacade facade;
    private final McpExecutions executions;

    @Inject
    public SubmitScript(ExecutionFacade calls, McpExecutions runs) {
        this.facade = calls;
        this.executions = runs;
    }

    @Override
    public String name() {
        return "submit_script";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        return executions
                .submit(dialog, facade::submit)
                .thenApply(id -> McpExecutions.outcomeOrIdOnly(
                        id,
                        () -> new ToolOutcome(
                                ExecutionView.execution(
                                        facade.show(dialog.caller(), id, 0, 0, ExecutionView.READ_OUTPUT_CHARS)),
                                false)));
    }
}
