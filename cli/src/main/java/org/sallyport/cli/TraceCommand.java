package org.sallyport.cli;

import java.util.concurrent.Callable;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.api.Trace;
import org.sallyport.cli.terminal.Look;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Waterfall;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code trace}: the calls of one execution as a waterfall. */
@Command(name = "trace", description = "Shows an execution's tool calls on a time axis.")
final class TraceCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Parameters(paramLabel = "ID", description = "The execution.")
    private String id = "";

    @Option(names = "--all", description = "Every call, however many there are.")
    private boolean all;

    TraceCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        SallyportApi api = sallyport.service().api();
        Trace trace = api.trace(id);
        if (sallyport.json()) {
            sallyport.answer(trace.json());
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (trace.calls().isEmpty()) {
            terminal.note("It has called no tool" + (trace.events().isEmpty() ? ", and has no trace." : "."));
            return Exit.COMPLETED.code();
        }
        Execution execution = api.execution(id);
        // Here the drawing is the answer: it goes to standard output, which never gets colours.
        Look plain = new Look(terminal.look().columns(), false, terminal.look().unicode());
        new Waterfall(plain, all)
                .lines(trace.calls(), execution.startedAt(), execution.finishedAt())
                .forEach(terminal::answer);
        return Exit.COMPLETED.code();
    }
}
