package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.api.ExecutionCalls;
import org.sallyport.web.api.Members;
import org.sallyport.web.audit.Deeds;
import org.sallyport.web.security.Allowed;

/** Cancels an execution that has not ended. */
@Dependent
@Allowed({Role.SUBMITTER, Role.OPERATOR})
public class CancelExecution implements AgentTool {
    private final ExecutionCalls calls;
    private final Deeds deeds;

    @Inject
    public CancelExecution(ExecutionCalls calls, Deeds deeds) {
        this.calls = calls;
        this.deeds = deeds;
    }

    @Override
    public String name() {
        return "cancel_execution";
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        Members arguments = new Members(dialog.arguments());
        arguments.allow(Set.of("id"));
        ExecutionId id = ExecutionStatus.id(arguments);
        return Outcome.now(Shown.execution(deeds.byAgent(
                dialog.caller(),
                dialog.address(),
                "execution.cancel",
                id.toString(),
                () -> calls.cancel(dialog.caller(), id))));
    }
}
