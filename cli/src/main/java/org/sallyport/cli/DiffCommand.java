package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.concurrent.Callable;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code diff}: in what two executions differ. */
@Command(name = "diff", description = "Shows in what two executions differ: state, result, output and calls.")
final class DiffCommand implements Callable<Integer> {
    private static final List<String> WHOLE = List.of("state", "result", "error", "output", "errorOutput");
    private static final List<String> OF_A_CALL = List.of("tool", "args", "answer");

    private final Sallyport sallyport;

    @Parameters(index = "0", paramLabel = "ID", description = "The execution.")
    private String id = "";

    @Parameters(index = "1", paramLabel = "OTHER", description = "The one to compare it with.")
    private String other = "";

    DiffCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ObjectNode diff = sallyport.service().api().diff(id, other);
        if (sallyport.json()) {
            sallyport.answer(diff);
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (diff.path("same").asBoolean()) {
            terminal.note("They do not differ.");
            return Exit.COMPLETED.code();
        }
        WHOLE.forEach(name -> show(terminal, name, diff.path(name)));
        for (JsonNode call : diff.path("calls")) {
            String ordinal = "call " + call.path("call").asLong();
            if (call.has("onlyIn")) {
                terminal.answer(ordinal + " is made only by "
                        + (call.path("onlyIn").asText().equals("this") ? "the first" : "the second"));
            }
            OF_A_CALL.forEach(name -> show(terminal, ordinal + " " + name, call.path(name)));
        }
        long more = diff.path("callsDiffering").asLong() - diff.path("calls").size();
        if (more > 0) {
            terminal.note("And " + more + " more calls.");
        }
        return Exit.COMPLETED.code();
    }

    private static void show(Terminal terminal, String what, JsonNode difference) {
        if (difference.isObject()) {
            terminal.answer(what);
            side(terminal, "- ", difference.path("this"));
            side(terminal, "+ ", difference.path("with"));
        }
    }

    private static void side(Terminal terminal, String mark, JsonNode text) {
        if (text.isTextual()) {
            Visible.text(text.asText()).lines().forEach(line -> terminal.answer("  " + mark + line));
        }
    }
}
