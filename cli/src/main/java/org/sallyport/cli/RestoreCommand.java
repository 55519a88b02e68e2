package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.local.DatabaseRestore;
import org.sallyport.cli.local.DatabaseRestore.RestoreResult;
import org.sallyport.cli.local.UnusableBackupException;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code restore}: replaces the database of the service on this machine by a backup. */
@Command(
        name = "restore",
        description = {
            "Replaces the H2 database of the service on this machine by a backup, while the service is down.",
            "The database before stays in the data directory, under another name."
        })
final class RestoreCommand implements Callable<Integer> {
    private static final String DATABASE_URL = "sallyport.db.url";
    private static final String BROKER_DATA = "sallyport.broker.data";

    private final SallyportCommand sallyport;

    @Parameters(paramLabel = "FILE", description = "The backup, a zip file.")
    private String file = "";

    RestoreCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        CliEnvironment environment = sallyport.environment();
        if (environment.serverSetting(DATABASE_URL).isPresent()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    DATABASE_URL + " is set, and this command restores only the database of the data directory.",
                    "Put the database in its place yourself: docs/backup.md.");
        }
        sallyport.service().findRunning().ifPresent(server -> {
            throw new CommandException(
                    ExitCode.FAILED,
                    "The service runs at " + server.url() + " (pid " + server.pid() + "), so nothing was restored.",
                    "Stop it first: sallyport down");
        });
        Path data = environment.serverSettings().dataDirectory();
        Path broker = environment.serverSetting(BROKER_DATA).map(data::resolve).orElse(data.resolve("broker"));
        Path backup = environment.resolveFile(file);
        RestoreResult restored = restore(new DatabaseRestore(data, broker, InstantSource.system()), backup);
        if (sallyport.json()) {
            sallyport.printJson(json(backup, restored));
        } else {
            printResult(backup, restored);
        }
        return ExitCode.COMPLETED.code();
    }

    private static RestoreResult restore(DatabaseRestore data, Path backup) {
        try {
            return data.restore(backup);
        } catch (UnusableBackupException e) {
            throw new CommandException(ExitCode.USAGE, "Nothing was restored: " + e.getMessage() + ".");
        } catch (IOException e) {
            throw new CommandException(ExitCode.FAILED, "Nothing was restored: " + e.getMessage() + ".");
        }
    }

    private static ObjectNode json(Path backup, RestoreResult restored) {
        ObjectNode json = ApiJson.object()
                .put("backup", backup.toString())
                .put("database", restored.database().toString());
        restored.replacedDatabase().ifPresent(path -> json.put("replacedDatabase", path.toString()));
        restored.replacedBroker().ifPresent(path -> json.put("replacedBroker", path.toString()));
        return json;
    }

    private void printResult(Path backup, RestoreResult restored) {
        Terminal terminal = sallyport.terminal();
        terminal.printNote("Restored " + escape(backup) + ".");
        terminal.printNote("  database                    " + escape(restored.database()));
        restored.replacedDatabase()
                .ifPresent(path -> terminal.printNote("  the database before         " + escape(path)));
        restored.replacedBroker()
                .ifPresent(path -> terminal.printNote("  the broker's journal before " + escape(path)));
        terminal.printNote("The backup has no keys. They must be those of the service that made it: secrets.key,"
                + " callbacks.key, admin.key.");
        terminal.printNote("Start the service: sallyport up");
    }

    private static String escape(Path path) {
        return TerminalTextEscaper.escapeLine(path.toString());
    }
}
