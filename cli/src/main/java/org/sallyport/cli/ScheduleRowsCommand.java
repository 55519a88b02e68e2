package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code schedules rows}: replaces the file of rows of a schedule. */
@Command(
        name = "rows",
        description = {
            "Replaces the file of rows of a schedule, which then runs in the name of your key.",
            "schedules rows nightly-refunds orders.csv"
        })
final class ScheduleRowsCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(index = "0", paramLabel = "SCHEDULE", description = "Its name or id.")
    private String nameOrId = "";

    @Parameters(index = "1", paramLabel = "FILE", description = "Rows, in a .csv file or as one JSON value per line.")
    private String file = "";

    ScheduleRowsCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Path rows = requireFile(sallyport, file);
        ObjectNode check = upload(sallyport, SchedulesCommand.resolveId(sallyport, nameOrId), rows);
        if (sallyport.json()) {
            sallyport.printJson(check);
        }
        return ExitCode.COMPLETED.code();
    }

    /** Returns the path of a readable file. Throws {@link CommandException} if there is none. */
    static Path requireFile(SallyportCommand sallyport, String name) {
        Path rows = sallyport.environment().resolveFile(name);
        if (!Files.isReadable(rows) || Files.isDirectory(rows)) {
            throw new CommandException(ExitCode.USAGE, "The file " + name + " cannot be read.");
        }
        return rows;
    }

    /** Uploads a file, and prints the number of its rows and the refused ones as notes. Returns the answer. */
    static ObjectNode upload(SallyportCommand sallyport, String schedule, Path rows) {
        ObjectNode check =
                sallyport.service().api().putFile("/schedules", rows, BatchFileFormat.of(rows), schedule, "rows");
        Terminal terminal = sallyport.terminal();
        for (JsonNode item : check.path("problems")) {
            JsonNode line = item.at("/problem/sourceLine");
            terminal.printNote((line.isInt()
                            ? "Line " + line.asInt()
                            : "Row " + (item.path("index").asInt() + 1))
                    + " would be refused: "
                    + TerminalTextEscaper.escapeLine(ApiJson.text(item.path("problem"), "detail")));
        }
        terminal.printNote(check.path("total").asInt() + " rows are stored; "
                + check.path("refused").asInt() + " of them would be refused.");
        return check;
    }
}
