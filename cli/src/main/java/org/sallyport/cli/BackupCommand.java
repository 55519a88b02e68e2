package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code backup}: takes and lists backups. */
@Command(
        name = "backup",
        description = {
            "Takes a backup of the service's H2 database while it is in use, and prints its file.",
            "For administrators of the tenant that operates the installation."
        })
final class BackupCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    private BackupCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommand. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new BackupCommand(sallyport)).addSubcommand(new ListBackups(sallyport));
    }

    @Override
    public Integer call() {
        sallyport.terminal().showProgress("Taking a backup ...");
        ObjectNode backup = sallyport.service().api().createBackup();
        if (sallyport.json()) {
            sallyport.printJson(backup);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        terminal.printResult(TerminalTextEscaper.escapeLine(ApiJson.text(backup, "path")));
        terminal.printNote("Copy it to another machine, with the keys of the data directory: docs/backup.md");
        return ExitCode.COMPLETED.code();
    }

    /** {@code backup list}: lists the backups. */
    @Command(name = "list", description = "Lists the backups of the service, newest first.")
    static final class ListBackups implements Callable<Integer> {
        private final SallyportCommand sallyport;

        ListBackups(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode page = sallyport.service().api().get("/backups");
            if (sallyport.json()) {
                sallyport.printJson(page);
                return ExitCode.COMPLETED.code();
            }
            Terminal terminal = sallyport.terminal();
            TerminalTable table = new TerminalTable("TAKEN", "BYTES", "NAME");
            page.path("items")
                    .forEach(backup -> table.addRow(
                            ApiJson.text(backup, "takenAt"),
                            backup.path("bytes").asText(),
                            ApiJson.text(backup, "name")));
            terminal.printTable(table);
            String newest = ApiJson.text(page.path("items").path(0), "path");
            if (!newest.isEmpty()) {
                terminal.printNote("Newest: " + TerminalTextEscaper.escapeLine(newest));
            }
            return ExitCode.COMPLETED.code();
        }
    }
}
