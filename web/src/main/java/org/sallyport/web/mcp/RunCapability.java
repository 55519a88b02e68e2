package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.RunFacade;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that runs a published capability and waits for it. */
@Dependent
@RolesAllowed(Role.SUBMITTER)
public class RunCapability implements McpTool {
    /** The name of this tool. Calls of the capabilities' own tools are converted into calls of it. */
    static final String NAME = "run_capability";

    private final RunFacade facade;
    private final McpExecutions executions;

    @Inject
    public RunCapability(RunFacade calls, McpExecutions runs) {
        this.facade = calls;
        this.executions = runs;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        return executions.run(
                dialog, McpExecutions.withTraceOption(facade::runCapability), id -> executions.outcome(dialog, id));
    }
}
