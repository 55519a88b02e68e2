package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Role;
import org.sallyport.web.api.ExecutionCalls;
import org.sallyport.web.security.Allowed;

/** Stores a script, which will run, and answers at once. */
@Dependent
@Allowed(Role.SUBMITTER)
public class SubmitScript implements AgentTool {
    private final ExecutionCalls calls;

    @Inject
    public SubmitScript(ExecutionCalls calls) {
        this.calls = calls;
    }

    @Override
    public String name() {
        return "submit_script";
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        return Runs.submit(dialog, calls::submit)
                .thenApply(id -> Runs.told(
                        id, () -> new Outcome(Shown.execution(calls.show(dialog.caller(), id, 0, 0)), false)));
    }
}
