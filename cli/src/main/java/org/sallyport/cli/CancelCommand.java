package org.sallyport.cli;

import java.util.concurrent.Callable;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code cancel}: asks for the end of one execution. */
@Command(name = "cancel", description = "Cancels an execution that has not ended.")
final class CancelCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    CancelCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Execution execution = sallyport.service().api().cancel(id);
        if (sallyport.json()) {
            sallyport.answer(execution.json());
        } else {
            String state = execution.state().isEmpty() ? "cancel requested" : execution.state();
            sallyport.terminal().note(Visible.line(state + "  " + id));
        }
        return Exit.COMPLETED.code();
    }
}
