package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.concurrent.Callable;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code diff}: shows the differences between two executions. */
@Command(name = "diff", description = "Shows the differences between two executions: state, result, output and calls.")
final class DiffCommand implements Callable<Integer> {
    private static final List<String> EXECUTION_MEMBERS = List.of("state", "result", "error", "output", "errorOutput");
    private static final List<String> CALL_MEMBERS = List.of("tool", "args", "answer");

    private final SallyportCommand sallyport;

    @Parameters(index = "0", paramLabel = "ID", description = "The execution.")
    private String id = "";

    @Parameters(index = "1", paramLabel = "OTHER", description = "The execution to compare it with.")
    private String other = "";

    DiffCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ObjectNode diff = sallyport.service().api().diff(id, other);
        if (sallyport.json()) {
            sallyport.printJson(diff);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (diff.path("same").asBoolean()) {
            terminal.printNote("The executions do not differ.");
            return ExitCode.COMPLETED.code();
        }
        EXECUTION_MEMBERS.forEach(name -> printDifference(terminal, name, diff.path(name)));
        for (JsonNode call : diff.path("calls")) {
            String ordinal = "call " + call.path("call").asLong();
            if (call.has("onlyIn")) {
                terminal.printResult(ordinal + " is made only by "
                        + (call.path("onlyIn").asText().equals("this") ? "the first" : "the second"));
            }
            CALL_MEMBERS.forEach(name -> printDifference(terminal, ordinal + " " + name, call.path(name)));
        }
        long more = diff.path("callsDiffering").asLong() - diff.path("calls").size();
        if (more > 0) {
            terminal.printNote(more + " more calls differ.");
        }
        return ExitCode.COMPLETED.code();
    }

    private static void printDifference(Terminal terminal, String what, JsonNode difference) {
        if (difference.isObject()) {
            terminal.printResult(what);
            printSide(terminal, "- ", difference.path("this"));
            printSide(terminal, "+ ", difference.path("with"));
        }
    }

    private static void printSide(Terminal terminal, String mark, JsonNode text) {
        if (text.isTextual()) {
            TerminalTextEscaper.escapeText(text.asText())
                    .lines()
                    .forEach(line -> terminal.printResult("  " + mark + line));
        }
    }
}
