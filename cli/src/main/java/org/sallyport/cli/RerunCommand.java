package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rerun}: runs an ended execution again, with all, some or none of its recorded call results. */
@Command(
        name = "rerun",
        description = {
            "Runs an ended execution again and shows its output, its result and its trace.",
            "Without --from or --offline, makes all calls again."
        })
final class RerunCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    @Option(
            names = "--from",
            paramLabel = "N",
            description = "Make call N and later calls for real; answer earlier calls from the recording.")
    private @Nullable Long from;

    @Option(names = "--offline", description = "Make no call for real: answer all calls from the recording.")
    private boolean offline;

    @Option(names = "--code", paramLabel = "FILE", description = "Run this script instead, such as an edited one.")
    private @Nullable String code;

    @Option(names = "--args", paramLabel = "JSON|@FILE", description = "Other input 'args'.")
    private @Nullable String args;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "A repeated request with the same key returns the first re-run.")
    private @Nullable String idempotencyKey;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only the script's output and result.")
    private boolean quiet;

    RerunCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Optional<SourceFile> file = Optional.ofNullable(code).map(SourceFile::new);
        Optional<String> source = file.map(each -> each.read(sallyport.environment()));
        ObjectNode body = body();
        file.flatMap(SourceFile::language).ifPresent(language -> body.put("language", language));
        source.ifPresent(text -> body.put("code", text));
        Terminal terminal = sallyport.terminal();
        SallyportApiClient api = sallyport.service().api();
        ApiExecution accepted;
        try {
            accepted = api.rerun(id, body, Optional.ofNullable(idempotencyKey)).execution();
        } catch (ApiProblemException e) {
            throw new ScriptRejection(
                    e.problem(), source, file.map(SourceFile::name).orElse("the script"));
        }
        try (CancelOnInterrupt interrupt = new CancelOnInterrupt(api, terminal, accepted.id())) {
            ApiExecution execution = new ExecutionFollower(api, terminal, !sallyport.json()).followToEnd(accepted.id());
            printOutcome(api, execution, source, file.map(SourceFile::name).orElse("the script"));
            ExitCode exit = ExitCode.ofState(execution.state());
            interrupt.finished(exit);
            return exit.code();
        }
    }

    private ObjectNode body() {
        if (offline && from != null) {
            throw new CommandException(ExitCode.USAGE, "--from and --offline cannot be combined.");
        }
        ObjectNode body = ApiJson.object();
        body.put("mode", offline ? "offline" : from == null ? "fresh" : "from");
        if (from != null) {
            body.put("from", from);
        }
        ExecutionOptions.parseJsonOption("--args", args, sallyport.environment())
                .ifPresent(value -> body.set("args", value));
        return body;
    }

    private void printOutcome(SallyportApiClient api, ApiExecution execution, Optional<String> source, String name) {
        if (sallyport.json()) {
            sallyport.printJson(execution.json());
            return;
        }
        ExecutionReport report = new ExecutionReport(sallyport.terminal());
        report.printResult(execution);
        if (!quiet || !execution.state().equals("COMPLETED")) {
            report.printEnd(execution, source, name);
        }
        if (!quiet) {
            report.printTrace(execution, api.trace(execution.id()), false);
            sallyport
                    .terminal()
                    .printNote("Compare them: sallyport diff " + TerminalTextEscaper.escapeLine(id) + " "
                            + TerminalTextEscaper.escapeLine(execution.id()));
        }
    }
}
