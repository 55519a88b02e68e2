package org.sallyport.web.mcp;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Role;
import org.sallyport.web.api.RunCalls;
import org.sallyport.web.security.Allowed;

/** Runs what was published under a name and waits for it. */
@Dependent
@Allowed(Role.SUBMITTER)
public class RunCapability implements AgentTool {
    /** Its name, by which the tools that capabilities are themselves are called too. */
    static final String NAME = "run_capability";

    private final RunCalls calls;
    private final Runs runs;

    @Inject
    public RunCapability(RunCalls calls, Runs runs) {
        this.calls = calls;
        this.runs = runs;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        return runs.run(dialog, calls::capability, id -> runs.execution(dialog.caller(), id));
    }
}
