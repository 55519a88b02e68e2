package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.ApiTrace;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Option;

/** Runs an execution that the user watches: shows its output, its result and its trace, and cancels it on Ctrl-C. */
final class ForegroundRun {
    @Option(
            names = {"-q", "--quiet"},
            description = "Print only the script's output and result.")
    private boolean quiet;

    @Option(names = "--no-trace", description = "Omit the trace.")
    private boolean noTrace;

    /**
     * Submits a request and follows its execution to the end. Starts the service on this machine if none answers.
     *
     * @param options the options from which the body was built
     * @param source the text of the script, for excerpts in messages; empty if the service has it
     * @param sourceName the name of the script for messages
     * @return the exit code of the final state
     */
    int runToEnd(
            SallyportCommand sallyport,
            ObjectNode body,
            ExecutionOptions options,
            Optional<String> source,
            String sourceName) {
        Terminal terminal = sallyport.terminal();
        SallyportApiClient api = sallyport.service().startedApi();
        ApiExecution accepted;
        try {
            accepted = api.submit(body, options.idempotencyKey()).execution();
        } catch (ApiProblemException e) {
            throw new ScriptRejection(e.problem(), source, sourceName);
        }
        try (CancelOnInterrupt interrupt = new CancelOnInterrupt(api, terminal, accepted.id())) {
            ApiExecution execution = followLastAttempt(api, terminal, !sallyport.json(), accepted.id());
            if (sallyport.json()) {
                sallyport.printJson(withTrace(api, execution));
            } else {
                ExecutionReport report = new ExecutionReport(terminal);
                report.printResult(execution);
                if (!quiet || !execution.state().equals("COMPLETED")) {
                    report.printEnd(execution, source, sourceName);
                }
                printPlanAndTrace(sallyport, api, execution, options.dryRun(), report);
            }
            ExitCode exit = ExitCode.ofState(execution.state());
            interrupt.finished(exit);
            return exit.code();
        }
    }

    /** Follows the execution, and if it fails and is run again, the attempts after it. Returns the last one. */
    private static ApiExecution followLastAttempt(
            SallyportApiClient api, Terminal terminal, boolean show, String first) {
        ApiExecution execution = new ExecutionFollower(api, terminal, show).followToEnd(first);
        for (Optional<String> next = execution.nextAttempt(); next.isPresent(); next = execution.nextAttempt()) {
            terminal.printNote(TerminalTextEscaper.escapeLine(
                    execution.id() + " failed with " + execution.errorCode() + ". Next attempt: " + next.get()));
            execution = new ExecutionFollower(api, terminal, show).followToEnd(next.get());
        }
        return execution;
    }

    private void printPlanAndTrace(
            SallyportCommand sallyport,
            SallyportApiClient api,
            ApiExecution execution,
            boolean dryRun,
            ExecutionReport report) {
        if (dryRun) {
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
