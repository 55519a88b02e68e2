package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Role;
import org.sallyport.web.ProblemException;
import org.sallyport.web.api.BatchFacade;
import org.sallyport.web.api.BatchItemQuery;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.async.RetryingTask;
import org.sallyport.web.security.RolesAllowed;

/** MCP tool that runs a batch and waits for it. */
@Dependent
@RolesAllowed(Role.SUBMITTER)
public class RunBatch implements McpTool {
    private static final System.Logger LOG = System.getLogger(RunBatch.class.getName());

    private final BatchFacade facade;
    private final McpBatches batches;
    private final McpExecutions executions;
    private final RetryingTask retryingTask;

    @Inject
    public RunBatch(BatchFacade calls, McpBatches batches, McpExecutions executions, RetryingTask insistence) {
        this.facade = calls;
        this.batches = batches;
        this.executions = executions;
        this.retryingTask = insistence;
    }

    @Override
    public String name() {
        return "run_batch";
    }

    @Override
    public CompletionStage<ToolOutcome> call(ToolCallContext context) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        // Agents send null for what they leave out.
        context.takeArguments().properties().stream()
                .filter(member -> !member.getValue().isNull())
                .forEach(member -> body.set(member.getKey(), member.getValue()));
        JsonMembers arguments = new JsonMembers(body);
        long millis = executions.waitMillis(arguments, McpExecutions.DEFAULT_WAIT_SECONDS);
        Optional<String> key = arguments.text(McpExecutions.IDEMPOTENCY_KEY_ARGUMENT, McpExecutions.MAX_KEY_LENGTH);
        body.remove(List.of(McpExecutions.WAIT_ARGUMENT, McpExecutions.IDEMPOTENCY_KEY_ARGUMENT));
        String id;
        try {
            id = facade.submit(context.caller(), body, key).toString();
        } catch (ProblemException e) {
            return ToolOutcome.completed(BatchView.shortened(ToolOutcome.of(e.problem())));
        }
        context.onCancel(() -> retryingTask.runWithRetries("cancel batch " + id, () -> cancel(context, id), () -> {}));
        context.sendProgress(0, null, "batch " + id + " is stored and will run", Map.of(ProgressMeta.BATCH, id));
        BatchItemQuery firstPage = McpBatches.page(new JsonMembers(JsonNodeFactory.instance.objectNode()));
        return batches.followIfPossible(context, id, millis)
                // The batch is accepted, so the agent learns its id even if the wait failed.
                .handle((nothing, failure) -> ToolOutcome.ofAccepted(
                        "batch",
                        id,
                        "batch_status",
                        () -> new ToolOutcome(batches.show(context.caller(), id, firstPage), false)));
    }

    private void cancel(ToolCallContext context, String id) {
        try {
            batches.cancel(context, id, ToolCallContext.CLIENT_CANCELLED);
        } catch (ProblemException e) {
            LOG.log(Level.WARNING, "batch " + id + " of a cancelled request could not be cancelled", e);
        }
    }
}
