package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.Tool;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tools}: what scripts can call. */
@Command(name = "tools", description = "Lists the tools that scripts can call.")
final class ToolsCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Parameters(
            arity = "0..1",
            paramLabel = "WORD",
            description = "Only tools whose name or description has this word.")
    private String word = "";

    ToolsCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        List<Tool> tools =
                sallyport.service().api().tools().stream().filter(this::matches).toList();
        if (sallyport.json()) {
            ObjectNode json = Json.object();
            ArrayNode items = json.putArray("items");
            tools.forEach(tool -> items.add(tool.json()));
            sallyport.answer(json);
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (tools.isEmpty()) {
            terminal.note("No such tools.");
            return Exit.COMPLETED.code();
        }
        Table table = new Table("TOOL", "HINTS", "DESCRIPTION");
        tools.forEach(
                tool -> table.row(tool.name(), hints(tool), tool.description().replaceAll("\\s+", " ")));
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        return Exit.COMPLETED.code();
    }

    private boolean matches(Tool tool) {
        String text = (tool.name() + " " + tool.description()).toLowerCase(Locale.ROOT);
        return text.contains(word.toLowerCase(Locale.ROOT));
    }

    private static String hints(Tool tool) {
        List<String> hints = new ArrayList<>();
        if (tool.readOnly()) {
            hints.add("read-only");
        } else if (tool.idempotent()) {
            hints.add("idempotent");
        }
        if (tool.destructive()) {
            hints.add("destructive");
        }
        return String.join(", ", hints);
    }
}
