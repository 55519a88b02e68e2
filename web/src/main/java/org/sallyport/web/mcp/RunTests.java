package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.api.RunFacade;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that runs test code against a script and returns the report. */
@Dependent
@RolesAllowed(Role.SUBMITTER)
public class RunTests implements McpTool {
    private final RunFacade facade;
    private final McpExecutions executions;

    @Inject
    public RunTests(RunFacade calls, McpExecutions runs) {
        this.facade = calls;
        this.executions = runs;
    }

    @Override
    public String name() {
        return "run_tests";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        return executions.run(
                dialog, (caller, body, key) -> facade.runTests(caller, body), id -> report(dialog.caller(), id));
    }

    private ToolOutcome report(Caller caller, ExecutionId id) {
        ObjectNode report = ExecutionView.report(facade.report(caller, id));
        return new ToolOutcome(
                report,
                ExecutionView.isFinished(report) && !report.path("success").asBoolean());
    }
}
