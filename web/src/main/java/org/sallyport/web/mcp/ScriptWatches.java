package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Waiting;
import org.sallyport.web.api.ApprovalCalls;

/** Follows executions for agents that wait for them. Thread-safe. */
@Dependent
public class ScriptWatches {
    private final ExecutionStore store;
    private final Waiting waiting;
    private final ApprovalQuestions questions;

    @Inject
    public ScriptWatches(ExecutionStore store, Waiting waiting, ApprovalQuestions questions) {
        this.store = store;
        this.waiting = waiting;
        this.questions = questions;
    }

    /**
     * Tells what the execution does until it has ended, {@code millis} have passed, or nobody waits; then on a thread that may block.
     *
     * @param output what it prints is told after so many characters
     */
    CompletionStage<Void> follow(Dialog dialog, ExecutionId id, long millis, long output, long error) {
        return new ScriptWatch(store, waiting, questions, dialog, id, millis).after(output, error);
    }

    /** Adds what people are asked to the execution that waits for it. */
    void asked(Caller caller, ExecutionId id, ObjectNode shown) {
        if (shown.path("state").asText().equals(ExecutionState.WAITING.name())) {
            questions
                    .pending(caller, id)
                    .forEach(approval -> shown.withArray("approvals")
                            .add(ApprovalCalls.show(approval)
                                    .retain("id", "tool", "arguments", "reason", "expiresAt")));
            if (shown.has("approvals")) {
                shown.put(
                        "note",
                        "it waits until an approver decides, in the console or by REST; ask execution_status with its id");
            }
        }
    }
}
