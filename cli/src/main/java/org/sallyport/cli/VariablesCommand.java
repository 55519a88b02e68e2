package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code variables}: manages the variables that capabilities declare. */
@Command(
        name = "variables",
        description = "Lists the variables of the tenant, which capabilities declare; sets and deletes them.")
final class VariablesCommand implements Callable<Integer> {
    private static final String VARIABLES = "/variables";
    private static final int MAX_VALUE_BYTES = 65_536;

    private final SallyportCommand sallyport;

    private VariablesCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new VariablesCommand(sallyport))
                .addSubcommand(new ListVariables(sallyport))
                .addSubcommand(new SetVariable(sallyport))
                .addSubcommand(new DeleteVariable(sallyport));
    }

    @Override
    public Integer call() {
        return printAll(sallyport);
    }

    private static int printAll(SallyportCommand sallyport) {
        ObjectNode page = sallyport.service().api().get(VARIABLES);
        if (sallyport.json()) {
            sallyport.printJson(page);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        TerminalTable table = new TerminalTable("VARIABLE", "VALUE", "VERSION", "CHANGED", "BY");
        page.path("items")
                .forEach(variable -> table.addRow(
                        ApiJson.text(variable, "name"),
                        variable.has("secret")
                                ? "secret " + ApiJson.text(variable, "secret")
                                : ApiJson.text(variable, "value"),
                        variable.path("version").asText(),
                        ApiJson.text(variable, "changedAt"),
                        ApiJson.text(variable, "changedBy")));
        table.lines(terminal.style().columns()).forEach(terminal::printResult);
        return ExitCode.COMPLETED.code();
    }

    /** {@code variables list}: lists all variables. */
    @Command(name = "list", description = "Lists the variables with their values or the names of their secrets.")
    static final class ListVariables implements Callable<Integer> {
        private final SallyportCommand sallyport;

        ListVariables(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            return printAll(sallyport);
        }
    }

    /** {@code variables set}: sets a variable. */
    @Command(
            name = "set",
            description = {
                "Sets a variable, or changes it. For operators.",
                "Without an option, reads the value from standard input, without its last line break:",
                "variables set REGION < region.txt"
            })
    static final class SetVariable implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "A letter or _, then letters, digits and _.")
        private String name = "";

        @Option(
                names = "--value",
                paramLabel = "TEXT|@FILE",
                description = "The value; of a file, the content without its last line break.")
        private @Nullable String value;

        @Option(names = "--secret", paramLabel = "NAME", description = "The secret whose value the variable has.")
        private @Nullable String secret;

        SetVariable(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = ApiJson.object();
            if (secret == null) {
                body.put("value", readValue());
            } else if (value == null) {
                body.put("secret", secret);
            } else {
                throw new CommandException(ExitCode.USAGE, "Give --value or --secret, not both.");
            }
            ObjectNode stored = sallyport.service().api().put(VARIABLES, body, name);
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

        private String readValue() {
            String given = value;
            if (given != null && !given.startsWith("@")) {
                return given;
            }
            try {
                return given == null
                        ? decode(sallyport.environment().standardInput().readNBytes(MAX_VALUE_BYTES + 1))
                        : readFile(given.substring(1));
            } catch (NoSuchFileException e) {
                throw new CommandException(ExitCode.USAGE, "--value " + given + ": there is no such file.");
            } catch (IOException e) {
                throw new CommandException(
                        ExitCode.USAGE, (given == null ? "Standard input" : "--value " + given) + " cannot be read.");
            }
        }

        private String readFile(String file) throws IOException {
            try (var in = Files.newInputStream(sallyport.environment().resolveFile(file))) {
                return decode(in.readNBytes(MAX_VALUE_BYTES + 1));
            }
        }

        private static String decode(byte[] bytes) {
            if (bytes.length > MAX_VALUE_BYTES) {
                throw new CommandException(ExitCode.USAGE, "The value has more than " + MAX_VALUE_BYTES + " bytes.");
            }
            return new String(bytes, StandardCharsets.UTF_8).replaceFirst("\r?\n\\z", "");
        }
    }

    /** {@code variables delete}: deletes a variable. */
    @Command(name = "delete", description = "Deletes a variable; runs of capabilities that declare it are refused.")
    static final class DeleteVariable implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The variable.")
        private String name = "";

        DeleteVariable(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(VARIABLES, name);
            sallyport.printDone("deleted", name, "Deleted.");
            return ExitCode.COMPLETED.code();
        }
    }
}
