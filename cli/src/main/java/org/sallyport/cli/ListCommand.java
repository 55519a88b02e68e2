package org.sallyport.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Page;
import org.sallyport.cli.terminal.Durations;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code list}: one page of executions. */
@Command(name = "list", description = "Lists executions, the newest first.")
final class ListCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Only these: pending, running, waiting, completed, failed, cancelled, timed-out.")
    private @Nullable String state;

    @Option(names = "--limit", paramLabel = "N", description = "Executions on a page (20).")
    private int limit = 20;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "The page that follows, as the last one said.")
    private @Nullable String cursor;

    ListCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Page page = sallyport.service().api().list(parameters());
        if (sallyport.json()) {
            sallyport.answer(page.json());
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (page.executions().isEmpty()) {
            terminal.note("No executions" + (state == null ? "." : " in this state."));
            return Exit.COMPLETED.code();
        }
        Table table = new Table("ID", "STATE", "CREATED", "RAN", "CODE");
        page.executions().forEach(execution -> row(table, execution));
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        page.next().ifPresent(next -> terminal.note("More: sallyport list --cursor " + quoted(next)));
        return Exit.COMPLETED.code();
    }

    private Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (state != null) {
            parameters.put("state", state.toUpperCase(Locale.ROOT).replace('-', '_'));
        }
        parameters.put("limit", Integer.toString(limit));
        if (cursor != null) {
            parameters.put("cursor", cursor);
        }
        return parameters;
    }

    private String quoted(String next) {
        String visible = Visible.line(next);
        return (visible.matches("[A-Za-z0-9_.=~-]+") ? visible : "'" + visible.replace("'", "'\\''") + "'")
                + (state == null ? "" : " --state " + state);
    }

    private static void row(Table table, Execution execution) {
        String created = execution.text("createdAt");
        String ran = execution.number("runMillis").isPresent()
                ? Durations.shown(
                        Duration.ofMillis(execution.number("runMillis").getAsLong()))
                : "";
        table.row(
                execution.id(),
                execution.state(),
                created.length() > 19 ? created.substring(0, 19) + "Z" : created,
                ran,
                execution.text("codePreview").replaceAll("\\s+", " ").strip());
    }
}
