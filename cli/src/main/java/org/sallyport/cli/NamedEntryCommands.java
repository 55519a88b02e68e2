package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The parts that {@code secrets} and {@code variables} share: entries with a name, a value and a version. */
final class NamedEntryCommands {
    private static final int MAX_VALUE_BYTES = 65_536;

    private final SallyportCommand sallyport;
    private final String path;
    private final Supplier<TerminalTable> table;
    private final BiConsumer<TerminalTable, JsonNode> rowWriter;

    /**
     * @param path path of the list in the API
     * @param table makes an empty table
     * @param rowWriter adds the row of an entry to the table
     */
    NamedEntryCommands(
            SallyportCommand sallyport,
            String path,
            Supplier<TerminalTable> table,
            BiConsumer<TerminalTable, JsonNode> rowWriter) {
        this.sallyport = sallyport;
        this.path = path;
        this.table = table;
        this.rowWriter = rowWriter;
    }

    /** Prints all entries. */
    int printAll() {
        ObjectNode page = sallyport.service().api().get(path);
        if (sallyport.json()) {
            sallyport.printJson(page);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        TerminalTable rows = table.get();
        page.path("items").forEach(entry -> rowWriter.accept(rows, entry));
        terminal.printTable(rows);
        return ExitCode.COMPLETED.code();
    }

    /** Prints an entry that was stored. */
    int printStored(ObjectNode stored) {
        if (sallyport.json()) {
            sallyport.printJson(stored);
        } else {
            sallyport
                    .terminal()
                    .printNote(TerminalTextEscaper.escapeLine(ApiJson.text(stored, "name")) + " has version "
                            + stored.path("version").asText() + ".");
        }
        return ExitCode.COMPLETED.code();
    }

    /** Returns the command {@code list}. */
    CommandLine listCommand(String description) {
        return described(new ListEntries(this), description);
    }

    /** Returns the command {@code delete}. */
    CommandLine deleteCommand(String description) {
        return described(new DeleteEntry(this), description);
    }

    private static CommandLine described(Callable<Integer> command, String description) {
        CommandLine line = new CommandLine(command);
        line.getCommandSpec().usageMessage().description(description);
        return line;
    }

    /**
     * Returns a value without its last line break. Throws {@link CommandException} if it cannot be read or is too
     * large.
     *
     * @param given the value, or {@code @} and a file; null for standard input
     */
    static String readValue(CliEnvironment environment, @Nullable String given) {
        if (given != null && !given.startsWith("@")) {
            return given;
        }
        try {
            return given == null
                    ? decode(environment.standardInput().readNBytes(MAX_VALUE_BYTES + 1))
                    : readFile(environment, given.substring(1));
        } catch (NoSuchFileException e) {
            throw new CommandException(ExitCode.USAGE, "--value " + given + ": there is no such file.");
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.USAGE, (given == null ? "Standard input" : "--value " + given) + " cannot be read.");
        }
    }

    private static String readFile(CliEnvironment environment, String file) throws IOException {
        try (var in = Files.newInputStream(environment.resolveFile(file))) {
            return decode(in.readNBytes(MAX_VALUE_BYTES + 1));
        }
    }

    private static String decode(byte[] bytes) {
        if (bytes.length > MAX_VALUE_BYTES) {
            throw new CommandException(ExitCode.USAGE, "The value has more than " + MAX_VALUE_BYTES + " bytes.");
        }
        return new String(bytes, StandardCharsets.UTF_8).replaceFirst("\r?\n\\z", "");
    }

    /** {@code list}: lists all entries. */
    @Command
    static final class ListEntries implements Callable<Integer> {
        private final NamedEntryCommands entries;

        ListEntries(NamedEntryCommands entries) {
            this.entries = entries;
        }

        @Override
        public Integer call() {
            return entries.printAll();
        }
    }

    /** {@code delete}: deletes an entry. */
    @Command
    static final class DeleteEntry implements Callable<Integer> {
        private final NamedEntryCommands entries;

        @Parameters(paramLabel = "NAME", description = "Its name.")
        private String name = "";

        DeleteEntry(NamedEntryCommands entries) {
            this.entries = entries;
        }

        @Override
        public Integer call() {
            entries.sallyport.service().api().delete(entries.path, name);
            entries.sallyport.printDone("deleted", name, "Deleted.");
            return ExitCode.COMPLETED.code();
        }
    }
}
