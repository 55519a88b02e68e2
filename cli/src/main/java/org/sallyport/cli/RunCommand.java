package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.ApiTrace;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code run}: submits a script and shows its output while it runs, then the result and the trace. */
@Command(
        name = "run",
        description = {
            "Runs a script and shows its output, its result and its trace.",
            "Starts the service on this machine if none answers. Ctrl-C cancels the execution."
        })
final class RunCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Mixin
    private final SubmissionOptions submission = new SubmissionOptions();

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only the script's output and result.")
    private boolean quiet;

    @Option(names = "--no-trace", description = "Omit the trace.")
    private boolean noTrace;

    RunCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        String source = submission.readSource(sallyport.environment());
        ObjectNode body = submission.toRequestBody(source, sallyport.environment());
        Terminal terminal = sallyport.terminal();
        SallyportApiClient api = sallyport.service().startedApi();
        ApiExecution accepted;
        try {
            accepted = api.submit(body, submission.idempotencyKey()).execution();
        } catch (ApiProblemException e) {
            throw new ScriptRejection(e.problem(), Optional.of(source), submission.sourceName());
        }
        try (CancelOnInterrupt interrupt = new CancelOnInterrupt(api, terminal, accepted.id())) {
            ApiExecution execution = new ExecutionFollower(api, terminal, !sallyport.json()).followToEnd(accepted.id());
            printOutcome(api, execution, source);
            ExitCode exit = ExitCode.ofState(execution.state());
            interrupt.finished(exit);
            return exit.code();
        }
    }

    private void printOutcome(SallyportApiClient api, ApiExecution execution, String source) {
        if (sallyport.json()) {
            sallyport.printJson(withTrace(api, execution));
            return;
        }
        ExecutionReport report = new ExecutionReport(sallyport.terminal());
        report.printResult(execution);
        if (!quiet || !execution.state().equals("COMPLETED")) {
            report.printEnd(execution, Optional.of(source), submission.sourceName());
        }
        if (submission.dryRun()) {
            PlanCommand.printPlan(sallyport.terminal(), api.plan(execution.id()));
        }
        if (!quiet && !noTrace) {
            report.printTrace(execution, api.trace(execution.id()), false);
        }
    }

    private JsonNode withTrace(SallyportApiClient api, ApiExecution execution) {
        ObjectNode json = execution.json().deepCopy();
        if (!noTrace) {
            ApiTrace trace = api.trace(execution.id());
            json.set("trace", trace.json().path("events"));
        }
        return json;
    }
}
