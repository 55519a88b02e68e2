package org.sallyport.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.ExecutionFilterOptions.ExecutionFilterOption;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiExecutionPage;
import org.sallyport.cli.terminal.DurationFormat;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code list}: lists one page of executions. */
@Command(name = "list", description = "Lists executions, the newest first.")
final class ListCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Mixin
    private ExecutionFilterOptions selection = new ExecutionFilterOptions();

    @Option(
            names = "--finished-within",
            paramLabel = "DURATION",
            description = "Only those that ended within this time, such as PT15M.")
    private @Nullable String finishedWithin;

    @Option(
            names = "--recent",
            paramLabel = "DURATION",
            description = "Only those that have not ended, and those that ended within this time, such as PT15M.")
    private @Nullable String recent;

    @Option(names = "--limit", paramLabel = "N", description = "Executions per page (20).")
    private int limit = 20;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "Cursor printed by the previous page.")
    private @Nullable String cursor;

    ListCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ApiExecutionPage page = sallyport.service().api().listExecutions(parameters());
        if (sallyport.json()) {
            sallyport.printJson(page.json());
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (page.executions().isEmpty()) {
            terminal.printNote(
                    page.nextCursor().isPresent()
                            ? "No matches on this page."
                            : "No executions" + (filters().isEmpty() ? "." : " match these filters."));
        }
        if (!page.executions().isEmpty()) {
            TerminalTable table = new TerminalTable("ID", "STATE", "CREATED", "RAN", "SAVED SCRIPT", "CODE");
            page.executions().forEach(execution -> addRow(table, execution));
            terminal.printTable(table);
        }
        page.nextCursor()
                .ifPresent(
                        next -> terminal.printNote("More: sallyport list --cursor " + quote(next) + nextPageOptions()));
        return ExitCode.COMPLETED.code();
    }

    private List<Map.Entry<String, String>> parameters() {
        List<Map.Entry<String, String>> parameters = new ArrayList<>();
        filters().forEach(filter -> parameters.add(Map.entry(filter.parameter(), filter.parameterValue())));
        parameters.add(Map.entry("limit", Integer.toString(limit)));
        if (cursor != null) {
            parameters.add(Map.entry("cursor", cursor));
        }
        return parameters;
    }

    private List<ExecutionFilterOption> filters() {
        List<ExecutionFilterOption> filters = new ArrayList<>(selection.filters());
        ExecutionFilterOptions.addFilter(filters, "--finished-within", "finishedWithin", finishedWithin, text -> text);
        ExecutionFilterOptions.addFilter(filters, "--recent", "recent", recent, text -> text);
        return filters;
    }

    /** Returns the options that the command for the next page must repeat. */
    private String nextPageOptions() {
        return filters().stream()
                .map(filter -> " " + filter.option() + " " + quote(filter.typedValue()))
                .collect(Collectors.joining());
    }

    private static String quote(String text) {
        String visible = TerminalTextEscaper.escapeLine(text);
        return visible.matches("[A-Za-z0-9_.:=~-]+") ? visible : "'" + visible.replace("'", "'\\''") + "'";
    }

    private static void addRow(TerminalTable table, ApiExecution execution) {
        String created = execution.text("createdAt");
        String ran = execution.number("runMillis").isPresent()
                ? DurationFormat.format(
                        Duration.ofMillis(execution.number("runMillis").getAsLong()))
                : "";
        table.addRow(
                execution.id(),
                execution.state(),
                created.length() > 19 ? created.substring(0, 19) + "Z" : created,
                ran,
                execution.text("cachedName"),
                execution.text("codePreview").replaceAll("\\s+", " ").strip());
    }
}
