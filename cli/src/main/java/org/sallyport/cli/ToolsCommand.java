package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiTool;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tools}: lists the tools that scripts can call. */
@Command(name = "tools", description = "Lists the tools that scripts can call.")
final class ToolsCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(
            arity = "0..1",
            paramLabel = "WORD",
            description = "Only tools whose name or description contains this word.")
    private String word = "";

    ToolsCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        List<ApiTool> tools =
                sallyport.service().api().tools().stream().filter(this::matches).toList();
        if (sallyport.json()) {
            ObjectNode json = ApiJson.object();
            ArrayNode items = json.putArray("items");
            tools.forEach(tool -> items.add(tool.json()));
            sallyport.printJson(json);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (tools.isEmpty()) {
            terminal.printNote("No tools found.");
            return ExitCode.COMPLETED.code();
        }
        TerminalTable table = new TerminalTable("TOOL", "HINTS", "DESCRIPTION");
        tools.forEach(tool ->
                table.addRow(tool.name(), hints(tool), tool.description().replaceAll("\\s+", " ")));
        terminal.printTable(table);
        return ExitCode.COMPLETED.code();
    }

    private boolean matches(ApiTool tool) {
        String text = (tool.name() + " " + tool.description()).toLowerCase(Locale.ROOT);
        return text.contains(word.toLowerCase(Locale.ROOT));
    }

    private static String hints(ApiTool tool) {
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
