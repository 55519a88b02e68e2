package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.api.ExecutionFacade;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that shows an execution; on request it waits until the execution has ended. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ExecutionStatus implements McpTool {
    private static final Set<String> KNOWN_ARGUMENTS = Set.of(
            "id", McpExecutions.WAIT_ARGUMENT, "outputOffset", "errorOffset", McpExecutions.INCLUDE_TRACE_ARGUMENT);
    static final int MAX_ID_LENGTH = 100;

    private final ExecutionFacade facade;
    private final McpExecutions executions;
    private final ProgressReporters reporters;

    @Inject
    public ExecutionStatus(ExecutionFacade calls, McpExecutions runs, ProgressReporters watches) {
        this.facade = calls;
        this.executions = runs;
        this.reporters = watches;
    }

    @Override
    public String name() {
        return "execution_status";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext dialog) {
        JsonMembers arguments = new JsonMembers(dialog.arguments());
        arguments.rejectUnknown(KNOWN_ARGUMENTS);
        Caller caller = dialog.caller();
        ExecutionId id = id(arguments);
        long millis = 1_000
                * McpExecutions.longInRange(arguments, McpExecutions.WAIT_ARGUMENT, 0, 0, facade.maxWaitSeconds());
        long output = McpExecutions.longInRange(arguments, "outputOffset", 0, 0, Long.MAX_VALUE);
        arguments.flag(McpExecutions.INCLUDE_TRACE_ARGUMENT); // Refuses any other value before the wait.
        long error = McpExecutions.longInRange(arguments, "errorOffset", 0, 0, Long.MAX_VALUE);
        if (millis == 0) {
            return ToolOutcome.completed(executions.show(dialog, id, output, error));
        }
        facade.show(caller, id, 0, 0, 0); // Fails first if the execution does not exist.
        return reporters
                .follow(dialog, id, millis, output, error)
                .thenApply(nothing -> new ToolOutcome(executions.show(dialog, id, output, error), false));
    }

    static ExecutionId id(JsonMembers arguments) {
        return ExecutionFacade.parseId(arguments
                .text("id", MAX_ID_LENGTH)
                .orElseThrow(() -> arguments.invalidMember("id", "is missing: the id of the execution")));
    }
}
