package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.api.Trace;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code run}: submit, show the output as it comes, then result and trace. */
@Command(
        name = "run",
        description = {
            "Runs a script and shows its output, its result and its trace.",
            "Starts the service on this machine if none answers. Ctrl-C cancels the execution."
        })
final class RunCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Mixin
    private final Submission submission = new Submission();

    @Option(
            names = {"-q", "--quiet"},
            description = "Only the script's output and result.")
    private boolean quiet;

    @Option(names = "--no-trace", description = "Leave the trace out.")
    private boolean noTrace;

    RunCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        String source = submission.source(sallyport.surroundings());
        ObjectNode body = submission.body(source, sallyport.surroundings());
        Terminal terminal = sallyport.terminal();
        SallyportApi api = sallyport.service().startedApi();
        Execution accepted;
        try {
            accepted = api.submit(body, submission.idempotencyKey()).execution();
        } catch (ProblemException e) {
            throw new Refusal(e.problem(), Optional.of(source), submission.name());
        }
        try (CancelOnInterrupt interrupt = new CancelOnInterrupt(api, terminal, accepted.id())) {
            Execution execution = new Follower(api, terminal, !sallyport.json()).toEnd(accepted.id());
            show(api, execution, source);
            Exit exit = Exit.ofState(execution.state());
            interrupt.finished(exit);
            return exit.code();
        }
    }

    private void show(SallyportApi api, Execution execution, String source) {
        if (sallyport.json()) {
            sallyport.answer(withTrace(api, execution));
            return;
        }
        Report report = new Report(sallyport.terminal());
        report.result(execution);
        if (!quiet || !execution.state().equals("COMPLETED")) {
            report.end(execution, Optional.of(source), submission.name());
        }
        if (submission.dryRun()) {
            PlanCommand.show(sallyport.terminal(), api.plan(execution.id()));
        }
        if (!quiet && !noTrace) {
            report.trace(execution, api.trace(execution.id()), false);
        }
    }

    private JsonNode withTrace(SallyportApi api, Execution execution) {
        ObjectNode json = execution.json().deepCopy();
        if (!noTrace) {
            Trace trace = api.trace(execution.id());
            json.set("trace", trace.json().path("events"));
        }
        return json;
    }
}
