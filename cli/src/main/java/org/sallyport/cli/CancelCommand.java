package org.sallyport.cli;

import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code cancel}: asks for the end of one execution. */
@Command(name = "cancel", description = "Cancels an execution that has not ended.")
final class CancelCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    CancelCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ApiExecution execution = sallyport.service().api().cancel(id);
        if (sallyport.json()) {
            sallyport.printJson(execution.json());
        } else {
            String state = execution.state().isEmpty() ? "cancel requested" : execution.state();
            sallyport.terminal().printNote(TerminalTextEscaper.escapeLine(state + "  " + id));
        }
        return ExitCode.COMPLETED.code();
    }
}
