package org.sallyport.cli;

import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code show}: shows the current state of one execution. */
@Command(
        name = "show",
        aliases = "get",
        description = "Shows an execution: state, output, result or error. Exit code 0 for every state.")
final class ShowCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    @Option(names = "--code", description = "Print the script's source instead.")
    private boolean code;

    ShowCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        SallyportApiClient api = sallyport.service().api();
        Terminal terminal = sallyport.terminal();
        if (code) {
            if (sallyport.json()) {
                sallyport.printJson(ApiJson.object().put("code", api.sourceCode(id)));
            } else {
                terminal.printScriptOutput(api.sourceCode(id));
            }
            return ExitCode.COMPLETED.code();
        }
        ApiExecution execution = api.execution(id);
        if (sallyport.json()) {
            sallyport.printJson(execution.json());
            return ExitCode.COMPLETED.code();
        }
        new OutputPrinter(api, terminal).printAll(execution);
        ExecutionReport report = new ExecutionReport(terminal);
        report.printResult(execution);
        report.printEnd(execution, source(api, execution), "the script");
        report.printOrigin(execution);
        return ExitCode.COMPLETED.code();
    }

    /** Returns the source if the error has a position in it. */
    private Optional<String> source(SallyportApiClient api, ApiExecution execution) {
        return execution.error().filter(error -> error.line().isPresent()).map(error -> api.sourceCode(id));
    }
}
