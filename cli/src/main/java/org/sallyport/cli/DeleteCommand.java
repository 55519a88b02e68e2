package org.sallyport.cli;

import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code delete}: erases one ended execution. */
@Command(
        name = "delete",
        description = "Erases an ended execution with its script, input, output, journal and artifacts.")
final class DeleteCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    DeleteCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        sallyport.service().api().delete("/executions", id);
        if (sallyport.json()) {
            sallyport.printJson(ApiJson.object().put("deleted", id));
        } else {
            sallyport.terminal().printNote(TerminalTextEscaper.escapeLine("Deleted " + id + "."));
        }
        return ExitCode.COMPLETED.code();
    }
}
