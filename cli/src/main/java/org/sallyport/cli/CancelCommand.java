package org.sallyport.cli;

import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cancel}: requests the cancellation of one execution. */
@Command(name = "cancel", description = "Cancels an execution that has not ended.")
final class CancelCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the people who look at it later.")
    private @Nullable String reason;

    CancelCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ApiExecution execution = sallyport.service().api().cancel(id, Optional.ofNullable(reason));
        if (sallyport.json()) {
            sallyport.printJson(execution.json());
        } else {
            String state = execution.state().isEmpty() ? "unknown" : execution.state();
            sallyport
                    .terminal()
                    .printNote(TerminalTextEscaper.escapeLine("Cancel requested for " + id + "; state: " + state
                            + ". Follow it: sallyport logs -f " + id));
        }
        return ExitCode.COMPLETED.code();
    }
}
