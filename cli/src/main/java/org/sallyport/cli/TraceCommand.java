package org.sallyport.cli;

import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiTrace;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;
import org.sallyport.cli.terminal.TraceWaterfall;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code trace}: shows the calls of one execution as a waterfall. */
@Command(name = "trace", description = "Shows an execution's tool calls on a time axis.")
final class TraceCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    @Option(names = "--all", description = "Show every call, also of a long trace.")
    private boolean all;

    TraceCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        SallyportApiClient api = sallyport.service().api();
        ApiTrace trace = api.trace(id);
        if (sallyport.json()) {
            sallyport.printJson(trace.json());
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (trace.calls().isEmpty()) {
            terminal.printNote(
                    "The execution has called no tool" + (trace.events().isEmpty() ? ", and has no trace." : "."));
            return ExitCode.COMPLETED.code();
        }
        ApiExecution execution = api.execution(id);
        // The drawing is the result here, so it goes to standard output, which never gets colors.
        TerminalStyle plain = new TerminalStyle(
                terminal.style().columns(), false, terminal.style().unicode());
        new TraceWaterfall(plain, all)
                .lines(trace.calls(), execution.startedAt(), execution.finishedAt())
                .forEach(terminal::printResult);
        return ExitCode.COMPLETED.code();
    }
}
