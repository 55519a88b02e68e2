package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.RunFacade;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that runs a saved script and waits for it. */
@Dependent
@RolesAllowed(Role.SUBMITTER)
public class RunSavedScript implements McpTool {
    private final RunFacade facade;
    private final McpExecutions executions;

    @Inject
    public RunSavedScript(RunFacade facade, McpExecutions executions) {
        this.facade = facade;
        this.executions = executions;
    }

    @Override
    public String name() {
        return "run_saved_script";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        return executions.run(
                dialog, McpExecutions.withTraceOption(facade::runSavedScript), id -> executions.outcome(dialog, id));
    }
}
