package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.api.ExecutionCalls;
import org.sallyport.web.api.Members;
import org.sallyport.web.security.Allowed;

/** Shows an execution, when asked so once it has ended. */
@Dependent
@Allowed({Role.SUBMITTER, Role.APPROVER, Role.OPERATOR, Role.AUDITOR})
public class ExecutionStatus implements AgentTool {
    private static final Set<String> KNOWN = Set.of("id", Runs.WAIT, "outputOffset", "errorOffset");
    static final int LONGEST_ID = 100;

    private final ExecutionCalls calls;
    private final ScriptWatches watches;

    @Inject
    public ExecutionStatus(ExecutionCalls calls, ScriptWatches watches) {
        this.calls = calls;
        this.watches = watches;
    }

    @Override
    public String name() {
        return "execution_status";
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        Members arguments = new Members(dialog.arguments());
        arguments.allow(KNOWN);
        Caller caller = dialog.caller();
        ExecutionId id = id(arguments);
        long millis = 1_000 * whole(arguments, Runs.WAIT, calls.longestWaitSeconds());
        long output = whole(arguments, "outputOffset", Long.MAX_VALUE);
        long error = whole(arguments, "errorOffset", Long.MAX_VALUE);
        if (millis == 0) {
            return Outcome.now(shown(caller, id, output, error));
        }
        calls.show(caller, id, 0, 0); // Nobody waits for what is not there.
        return watches.follow(dialog, id, millis, output, error)
                .thenApply(nothing -> new Outcome(shown(caller, id, output, error), false));
    }

    private ObjectNode shown(Caller caller, ExecutionId id, long output, long error) {
        ObjectNode shown = Shown.execution(calls.show(caller, id, output, error));
        watches.asked(caller, id, shown);
        return shown;
    }

    static ExecutionId id(Members arguments) {
        return ExecutionCalls.id(arguments
                .text("id", LONGEST_ID)
                .orElseThrow(() -> arguments.fault("id", "is missing: the id of the execution")));
    }

    private static long whole(Members arguments, String name, long most) {
        long value = arguments.whole(name).orElse(0L);
        if (value < 0 || value > most) {
            throw arguments.fault(name, "must be from 0 to " + most);
        }
        return value;
    }
}
