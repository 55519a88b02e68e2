package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.api.CancelReasonReader;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that cancels the executions of a batch that have not ended. */
@Dependent
@RolesAllowed({Role.SUBMITTER, Role.OPERATOR})
public class CancelBatch implements McpTool {
    private final McpBatches batches;

    @Inject
    public CancelBatch(McpBatches batches) {
        this.batches = batches;
    }

    @Override
    public String name() {
        return "cancel_batch";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext context) {
        JsonMembers arguments = new JsonMembers(context.arguments());
        arguments.rejectUnknown(Set.of(McpBatches.ID_ARGUMENT, CancelReasonReader.REASON));
        Optional<String> reason = CancelReasonReader.read(arguments);
        return ToolOutcome.completed(batches.cancel(context, batches.existingId(context.caller(), arguments), reason));
    }
}
