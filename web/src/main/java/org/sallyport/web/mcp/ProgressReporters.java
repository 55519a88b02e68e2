package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.web.api.ApprovalFacade;
import org.sallyport.web.async.LongPolls;

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
     * Reports the progress of the execution until it has ended, {@code millis} have passed, or the client no longer
     * waits. The stage completes on a thread that may block.
     *
     * @param output offset in stdout, in characters, from which output is reported
     * @param error offset in stderr, in characters, from which output is reported
     * @throws org.sallyport.web.ProblemException if too many requests wait
     */
    CompletionStage<Void> follow(ToolCallContext dialog, ExecutionId id, long millis, long output, long error) {
        return longPolls.start(
                dialog.caller(), () -> newReporter(dialog, id, millis).reportFrom(output, error));
    }

    /**
     * Same as {@link #follow}, from offset 0. If too many requests wait, it reports once and does not wait, so that the
     * client still learns of the accepted execution.
     */
    CompletionStage<Void> followIfPossible(ToolCallContext dialog, ExecutionId id, long millis) {
        return longPolls
                .tryStart(dialog.caller(), () -> newReporter(dialog, id, millis).reportFrom(0, 0))
                .orElseGet(() -> newReporter(dialog, id, 0).reportFrom(0, 0));
    }

    private ProgressReporter newReporter(ToolCallContext dialog, ExecutionId id, long millis) {
        return new ProgressReporter(store, waiter, elicitor, dialog, id, millis);
    }

    /** Adds the pending approvals to an execution in state {@code WAITING}. */
    void addPendingApprovals(Caller caller, ExecutionId id, ObjectNode shown) {
        if (shown.path("state").asText().equals(ExecutionState.WAITING.name())) {
            elicitor.pending(caller, id)
                    .forEach(approval -> shown.withArray("approvals")
                            .add(facade.show(caller, approval)
                                    .retain("id", "tool", "arguments", "reason", "expiresAt")));
            if (shown.has("approvals")) {
                shown.put(
                        "note",
                        "the execution waits until an approver decides, in the console or by REST; call"
                                + " execution_status with its id");
            }
        }
    }
}
