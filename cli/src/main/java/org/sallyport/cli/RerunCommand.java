package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rerun}: an execution once more, with as much of its recording as is wanted. */
@Command(
        name = "rerun",
        description = {
            "Runs an execution that has ended again and shows what comes of it.",
            "Without --from or --offline everything happens anew."
        })
final class RerunCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "Make call N and those after it for real; those before are answered from the recording.")
    private @Nullable Long from;

    @Option(names = "--offline", description = "Make no call for real: all are answered from the recording.")
    private boolean offline;

    @Option(names = "--code", paramLabel = "FILE", description = "Another script, perhaps an edited one.")
    private @Nullable String code;

    @Option(names = "--args", paramLabel = "JSON|@FILE", description = "Another input 'args'.")
    private @Nullable String args;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "The same key with the same request gives the first re-run back.")
    private @Nullable String idempotencyKey;

    @Option(
            names = {"-q", "--quiet"},
            description = "Only the script's output and result.")
    private boolean quiet;

    RerunCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Optional<SourceFile> file = Optional.ofNullable(code).map(SourceFile::new);
        Optional<String> source = file.map(each -> each.text(sallyport.surroundings()));
        ObjectNode body = body();
        file.ifPresent(each -> body.put("language", each.language()));
        source.ifPresent(text -> body.put("code", text));
        Terminal terminal = sallyport.terminal();
        SallyportApi api = sallyport.service().api();
        Execution accepted;
        try {
            accepted = api.rerun(id, body, Optional.ofNullable(idempotencyKey)).execution();
        } catch (ProblemException e) {
            throw new Refusal(e.problem(), source, file.map(SourceFile::name).orElse("the script"));
        }
        try (CancelOnInterrupt interrupt = new CancelOnInterrupt(api, terminal, accepted.id())) {
            Execution execution = new Follower(api, terminal, !sallyport.json()).toEnd(accepted.id());
            show(api, execution, source, file.map(SourceFile::name).orElse("the script"));
            Exit exit = Exit.ofState(execution.state());
            interrupt.finished(exit);
            return exit.code();
        }
    }

    private ObjectNode body() {
        if (offline && from != null) {
            throw new CommandFailure(Exit.USAGE, "--from and --offline exclude each other.");
        }
        ObjectNode body = Json.object();
        body.put("mode", offline ? "offline" : from == null ? "fresh" : "from");
        if (from != null) {
            body.put("from", from);
        }
        Submission.given("--args", args, sallyport.surroundings()).ifPresent(value -> body.set("args", value));
        return body;
    }

    private void show(SallyportApi api, Execution execution, Optional<String> source, String name) {
        if (sallyport.json()) {
            sallyport.answer(execution.json());
            return;
        }
        Report report = new Report(sallyport.terminal());
        report.result(execution);
        if (!quiet || !execution.state().equals("COMPLETED")) {
            report.end(execution, source, name);
        }
        if (!quiet) {
            report.trace(execution, api.trace(execution.id()), false);
            sallyport
                    .terminal()
                    .note("What differs: sallyport diff " + Visible.line(id) + " " + Visible.line(execution.id()));
        }
    }
}
