package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.BatchItemQuery;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that shows a batch with a page of its results; on request it waits until the batch has ended. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class BatchStatus implements McpTool {
    private static final Set<String> KNOWN_ARGUMENTS =
            Set.of(McpBatches.ID_ARGUMENT, McpExecutions.WAIT_ARGUMENT, "unsuccessful", "limit", "cursor");

    private final McpBatches batches;
    private final McpExecutions executions;

    @Inject
    public BatchStatus(McpBatches batches, McpExecutions executions) {
        this.batches = batches;
        this.executions = executions;
    }

    @Override
    public String name() {
        return "batch_status";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext context) {
        JsonMembers arguments = new JsonMembers(context.arguments());
        arguments.rejectUnknown(KNOWN_ARGUMENTS);
        long millis = executions.waitMillis(arguments, 0);
        BatchItemQuery page = McpBatches.page(arguments);
        String id = batches.existingId(context.caller(), arguments);
        return batches.follow(context, id, millis)
                .thenApply(nothing -> new ToolOutcome(batches.show(context.caller(), id, page), false));
    }
}
