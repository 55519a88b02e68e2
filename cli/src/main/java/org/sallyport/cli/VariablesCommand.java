package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.TerminalTable;
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

    private final NamedEntryCommands variables;

    private VariablesCommand(NamedEntryCommands variables) {
        this.variables = variables;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        NamedEntryCommands variables = new NamedEntryCommands(
                sallyport,
                VARIABLES,
                () -> new TerminalTable("VARIABLE", "VALUE", "VERSION", "CHANGED", "BY"),
                (table, variable) -> table.addRow(
                        ApiJson.text(variable, "name"),
                        variable.has("secret")
                                ? "secret " + ApiJson.text(variable, "secret")
                                : ApiJson.text(variable, "value"),
                        variable.path("version").asText(),
                        ApiJson.text(variable, "changedAt"),
                        ApiJson.text(variable, "changedBy")));
        return new CommandLine(new VariablesCommand(variables))
                .addSubcommand(
                        "list",
                        variables.listCommand("Lists the variables with their values or the names of their secrets."))
                .addSubcommand(new SetVariable(sallyport, variables))
                .addSubcommand(
                        "delete",
                        variables.deleteCommand(
                                "Deletes a variable; runs of capabilities that declare it are refused."));
    }

    @Override
    public Integer call() {
        return variables.printAll();
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
        private final NamedEntryCommands variables;

        @Parameters(paramLabel = "NAME", description = "A letter or _, then letters, digits and _.")
        private String name = "";

        @Option(
                names = "--value",
                paramLabel = "TEXT|@FILE",
                description = "The value; of a file, the content without its last line break.")
        private @Nullable String value;

        @Option(names = "--secret", paramLabel = "NAME", description = "The secret whose value the variable has.")
        private @Nullable String secret;

        SetVariable(SallyportCommand sallyport, NamedEntryCommands variables) {
            this.sallyport = sallyport;
            this.variables = variables;
        }

        @Override
        public Integer call() {
            ObjectNode body = ApiJson.object();
            if (secret == null) {
                body.put("value", NamedEntryCommands.readValue(sallyport.environment(), value));
            } else if (value == null) {
                body.put("secret", secret);
            } else {
                throw new CommandException(ExitCode.USAGE, "Give --value or --secret, not both.");
            }
            return variables.printStored(sallyport.service().api().put(VARIABLES, body, name));
        }
    }
}
