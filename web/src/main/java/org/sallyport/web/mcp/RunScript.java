package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.ProblemException;
import org.sallyport.web.api.ExecutionCalls;
import org.sallyport.web.api.Members;
import org.sallyport.web.security.Allowed;

/** Runs a script and waits for it, without a thread. What it was given goes on when the client goes away, and ends when he cancels. */
@Dependent
@Allowed(Role.SUBMITTER)
public class RunScript implements AgentTool {
    private static final long USUAL_WAIT_SECONDS = 30;
    private static final int LONGEST_KEY = 255;
    static final String WAIT = "waitSeconds";
    static final String KEY = "idempotencyKey";

    private final ExecutionCalls calls;
    private final ScriptWatches watches;

    @Inject
    public RunScript(ExecutionCalls calls, ScriptWatches watches) {
        this.calls = calls;
        this.watches = watches;
    }

    @Override
    public String name() {
        return "run_script";
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        Members arguments = new Members(dialog.arguments());
        long most = calls.longestWaitSeconds();
        long seconds = arguments.whole(WAIT).orElse(Math.min(USUAL_WAIT_SECONDS, most));
        if (seconds < 0 || seconds > most) {
            throw arguments.fault(WAIT, "must be from 0 to " + most);
        }
        Caller caller = dialog.caller();
        return submit(calls, dialog).thenCompose(id -> {
            dialog.onCancel(() -> cancel(caller, id));
            dialog.tell("execution " + id + " is stored and will run", Map.of(Told.EXECUTION, id.toString()));
            return watches.follow(dialog, id, seconds * 1_000, 0, 0).thenApply(nothing -> outcome(caller, id));
        });
    }

    /** Stores what the arguments describe; the same members as {@code POST /executions} has, and a few of our own. */
    static CompletionStage<ExecutionId> submit(ExecutionCalls calls, Dialog dialog) {
        ObjectNode body = dialog.arguments().deepCopy();
        Optional<String> key = new Members(body).text(KEY, LONGEST_KEY);
        body.remove(List.of(WAIT, KEY));
        return calls.submit(dialog.caller(), body, key);
    }

    private Outcome outcome(Caller caller, ExecutionId id) {
        ObjectNode shown = Shown.execution(calls.show(caller, id, 0, 0));
        watches.asked(caller, id, shown);
        return new Outcome(shown, Shown.failed(shown));
    }

    private void cancel(Caller caller, ExecutionId id) {
        try {
            calls.cancel(caller, id);
        } catch (ProblemException e) {
            // It has ended just before.
            System.getLogger(RunScript.class.getName()).log(System.Logger.Level.DEBUG, "cancelling " + id, e);
        }
    }
}
