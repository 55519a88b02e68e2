package org.sallyport.cli;

import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code show}: one execution as it is now. */
@Command(
        name = "show",
        aliases = "get",
        description = "Shows an execution: state, output, result or error. Exit code 0 whatever its state.")
final class ShowCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    @Option(names = "--code", description = "Print the script's source instead.")
    private boolean code;

    ShowCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        SallyportApi api = sallyport.service().api();
        Terminal terminal = sallyport.terminal();
        if (code) {
            if (sallyport.json()) {
                sallyport.answer(Json.object().put("code", api.code(id)));
            } else {
                terminal.scriptOutput(api.code(id));
            }
            return Exit.COMPLETED.code();
        }
        Execution execution = api.execution(id);
        if (sallyport.json()) {
            sallyport.answer(execution.json());
            return Exit.COMPLETED.code();
        }
        terminal.scriptOutput(execution.output().text());
        terminal.scriptErrorOutput(execution.errorOutput().text());
        Report report = new Report(terminal);
        report.result(execution);
        report.end(execution, source(api, execution), "the script");
        return Exit.COMPLETED.code();
    }

    /** The source, where there is a place in it to be shown. */
    private Optional<String> source(SallyportApi api, Execution execution) {
        return execution.error().filter(error -> error.line().isPresent()).map(error -> api.code(id));
    }
}
