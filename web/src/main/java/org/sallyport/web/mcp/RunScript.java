package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Role;
import org.sallyport.web.api.ExecutionCalls;
import org.sallyport.web.security.Allowed;

/** Runs a script and waits for it. */
@Dependent
@Allowed(Role.SUBMITTER)
public class RunScript implements AgentTool {
    private final ExecutionCalls calls;
    private final Runs runs;

    @Inject
    public RunScript(ExecutionCalls calls, Runs runs) {
        this.calls = calls;
        this.runs = runs;
    }

    @Override
    public String name() {
        return "run_script";
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        return runs.run(dialog, calls::submit, id -> runs.execution(dialog.caller(), id));
    }
}
