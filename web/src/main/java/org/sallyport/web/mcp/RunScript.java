package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.ExecutionFacade;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that runs a script and waits for it. */
@Dependent
@RolesAllowed(Role.SUBMITTER)
public class RunScript implements McpTool {
    private final ExecutionFacade facade;
    private final McpExecutions executions;

    @Inject
    public RunScript(ExecutionFacade calls, McpExecutions runs) {
        this.facade = calls;
        this.executions = runs;
    }

    @Override
    public String name() {
        return "run_script";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        return executions.run(
                dialog, McpExecutions.withTraceOption(facade::submit), id -> executions.outcome(dialog, id));
    }
}
