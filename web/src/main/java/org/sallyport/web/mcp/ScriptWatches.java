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
import org.sallyport.web.stream.Waits;

/** Follows executions for agents that wait for them. Thread-safe. */
@Dependent
public class ScriptWatches {
    private final ExecutionStore store;
    private final Waiting waiting;
    private final Waits waits;
    private final ApprovalQuestions questions;
    private final ApprovalCalls calls;

    @Inject
    public ScriptWatches(
            ExecutionStore store, Waiting waiting, Waits waits, ApprovalQuestions questions, ApprovalCalls calls) {
        this.store = store;
        this.waiting = waiting;
        this.waits = waits;
        this.questions = questions;
        this.calls = calls;
    }

    /**
     * Tells what the execution does until it has ended, {@code millis} have passed, or nobody waits; then on a thread that may block.
     * {@link org.sallyport.web.ProblemException} when too many wait.
     *
     * @param output what it prints is told after so many characters
     */
    CompletionStage<Void> follow(Dialog dialog, ExecutionId id, long millis, long output, long error) {
        return waits.wait(dialog.caller(), () -> watch(dialog, id, millis).after(output, error));
    }

    /** The same from the start, and no longer than a moment when too many wait: what was begun is to be told. */
    CompletionStage<Void> followIfPossible(Dialog dialog, ExecutionId id, long millis) {
        return waits.tryToWait(dialog.caller(), () -> watch(dialog, id, millis).after(0, 0))
                .orElseGet(() -> watch(dialog, id, 0).after(0, 0));
    }

    private ScriptWatch watch(Dialog dialog, ExecutionId id, long millis) {
        return new ScriptWatch(store, waiting, questions, dialog, id, millis);
    }

    /** Adds what people are asked to the execution that waits for it. */
    void asked(Caller caller, ExecutionId id, ObjectNode shown) {
        if (shown.path("state").asText().equals(ExecutionState.WAITING.name())) {
            questions
                    .pending(caller, id)
                    .forEach(approval -> shown.withArray("approvals")
                            .add(calls.show(caller, approval)
                                    .retain("id", "tool", "arguments", "reason", "expiresAt")));
            if (shown.has("approvals")) {
                shown.put(
                        "note",
                        "it waits until an approver decides, in the console or by REST; ask execution_status with its id");
            }
        }
    }
}
