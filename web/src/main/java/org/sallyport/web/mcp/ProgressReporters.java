package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.web.api.ApprovalFacade;
import org.sallyport.web.stream.LongPolls;

/** Follows executions for agents that wait for them. Thread-safe. */
@Dependent
public class ProgressReporters {
    private final ExecutionStore store;
    private final CompletionWaiter waiter;
    private final LongPolls longPolls;
    private final ApprovalElicitor elicitor;
    private final ApprovalFacade facade;

    @Inject
    public ProgressReporters(
            ExecutionStore store,
            CompletionWaiter waiting,
            LongPolls waits,
            ApprovalElicitor questions,
            ApprovalFacade calls) {
        this.store = store;
        this.waiter = waiting;
        this.longPolls = waits;
        this.elicitor = questions;
        this.facade = calls;
    }

    /**
     * Tells what the execution does until it has ended, {@code millis} have passed, or nobody waits; then on a thread that may block.
     * {@link org.sallyport.web.ApiProblemException} when too many wait.
     *
     * @param output what it prints is told after so many characters
     */
    CompletionStage<Void> follow(ToolCallContext dialog, ExecutionId id, long millis, long output, long error) {
        return longPolls.start(
                dialog.caller(), () -> newReporter(dialog, id, millis).reportFrom(output, error));
    }

    /** The same from the start, and no longer than a moment when too many wait: what was begun is to be told. */
    CompletionStage<Void> followIfPossible(ToolCallContext dialog, ExecutionId id, long millis) {
        return longPolls
                .tryStart(dialog.caller(), () -> newReporter(dialog, id, millis).reportFrom(0, 0))
                .orElseGet(() -> newReporter(dialog, id, 0).reportFrom(0, 0));
    }

    private ProgressReporter newReporter(ToolCallContext dialog, ExecutionId id, long millis) {
        return new ProgressReporter(store, waiter, elicitor, dialog, id, millis);
    }

    /** Adds what people are asked to the execution that waits for it. */
    void addPendingApprovals(Caller caller, ExecutionId id, ObjectNode shown) {
        if (shown.path("state").asText().equals(ExecutionState.WAITING.name())) {
            elicitor.pending(caller, id)
                    .forEach(approval -> shown.withArray("approvals")
                            .add(facade.show(caller, approval)
                                    .retain("id", "tool", "arguments", "reason", "expiresAt")));
            if (shown.has("approvals")) {
                shown.put(
                        "note",
                        "it waits until an approver decides, in the console or by REST; ask execution_status with its id");
            }
        }
    }
}
