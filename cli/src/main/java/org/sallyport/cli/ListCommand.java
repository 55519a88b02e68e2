package org.sallyport.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiExecutionPage;
import org.sallyport.cli.terminal.DurationFormat;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code list}: lists one page of executions. */
@Command(name = "list", description = "Lists executions, the newest first.")
final class ListCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Only this state: pending, running, waiting, completed, failed, cancelled, timed-out.")
    private @Nullable String state;

    @Option(names = "--label", paramLabel = "KEY:VALUE", description = "Only those with this label; may be repeated.")
    private List<String> labels = List.of();

    @Option(
            names = "--tool",
            paramLabel = "BACKEND.TOOL",
            description = "Only those that have called this tool; may be repeated.")
    private List<String> tools = List.of();

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only those accepted since then: 2026-06-08T15:00:00Z, or PT1H for the last hour.")
    private @Nullable String since;

    @Option(
            names = "--finished-within",
            paramLabel = "DURATION",
            description = "Only those that ended within this time, such as PT15M.")
    private @Nullable String finishedWithin;

    @Option(
            names = "--q",
            paramLabel = "TEXT",
            description =
                    "Only those with this text in script, intent, labels, capability or error, or as start of its id.")
    private @Nullable String text;

    @Option(
            names = "--submitted-by",
            paramLabel = "CALLER",
            description = "Only those of this caller: the id of a key, or jwt:SUBJECT@ISSUER of a token.")
    private @Nullable String submitter;

    @Option(names = "--rerun-of", paramLabel = "ID", description = "Only re-runs of this execution.")
    private @Nullable String rerunOf;

    @Option(
            names = "--nested-in",
            paramLabel = "ID",
            description = "Only those that this execution started as capabilities.")
    private @Nullable String parent;

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
            TerminalTable table = new TerminalTable("ID", "STATE", "CREATED", "RAN", "CODE");
            page.executions().forEach(execution -> addRow(table, execution));
            table.lines(terminal.style().columns()).forEach(terminal::printResult);
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

    /**
     * One filter of the command line.
     *
     * @param option name of the option
     * @param parameter name of the query parameter of the API
     * @param typedValue value as the user typed it
     * @param parameterValue value of the query parameter
     */
    private record ListFilter(String option, String parameter, String typedValue, String parameterValue) {}

    private List<ListFilter> filters() {
        List<ListFilter> filters = new ArrayList<>();
        addFilter(
                filters,
                "--state",
                "state",
                state,
                text -> text.toUpperCase(Locale.ROOT).replace('-', '_'));
        labels.forEach(label -> addFilter(filters, "--label", "label", label, text -> text));
        tools.forEach(tool -> addFilter(filters, "--tool", "tool", tool, text -> text));
        addFilter(filters, "--submitted-by", "submittedBy", submitter, text -> text);
        addFilter(filters, "--rerun-of", "rerunOf", rerunOf, text -> text);
        addFilter(filters, "--nested-in", "parent", parent, text -> text);
        addFilter(filters, "--since", "since", since, text -> text);
        addFilter(filters, "--finished-within", "finishedWithin", finishedWithin, text -> text);
        addFilter(filters, "--q", "q", text, text -> text);
        return filters;
    }

    private static void addFilter(
            List<ListFilter> filters,
            String option,
            String parameter,
            @Nullable String typed,
            UnaryOperator<String> read) {
        if (typed != null) {
            filters.add(new ListFilter(option, parameter, typed, read.apply(typed)));
        }
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
                execution.text("codePreview").replaceAll("\\s+", " ").strip());
    }
}
