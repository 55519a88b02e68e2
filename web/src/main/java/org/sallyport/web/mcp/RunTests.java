package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.api.RunCalls;
import org.sallyport.web.security.Allowed;

/** Runs test code against a script and gives the report. */
@Dependent
@Allowed(Role.SUBMITTER)
public class RunTests implements AgentTool {
    private final RunCalls calls;
    private final Runs runs;

    @Inject
    public RunTests(RunCalls calls, Runs runs) {
        this.calls = calls;
        this.runs = runs;
    }

    @Override
    public String name() {
        return "run_tests";
    }

    @Override
    public CompletionStage<Outcome> call(Dialog dialog) {
        return runs.run(dialog, (caller, body, key) -> calls.tests(caller, body), id -> report(dialog.caller(), id));
    }

    private Outcome report(Caller caller, ExecutionId id) {
        ObjectNode report = Shown.report(calls.report(caller, id));
        return new Outcome(
                report, Shown.ended(report) && !report.path("success").asBoolean());
    }
}
