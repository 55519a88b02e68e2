package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.terminal.TerminalTable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code secrets}: manages the secrets of backends. Never shows their values. */
@Command(
        name = "secrets",
        description = "Lists the secrets of the tenant, which backends refer to as secret:NAME; sets and deletes them.")
final class SecretsCommand implements Callable<Integer> {
    private static final String SECRETS = "/secrets";
    private static final int NOT_FOUND = 404;

    private final NamedEntryCommands secrets;

    private SecretsCommand(NamedEntryCommands secrets) {
        this.secrets = secrets;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        NamedEntryCommands secrets = new NamedEntryCommands(
                sallyport,
                SECRETS,
                () -> new TerminalTable("SECRET", "VERSION", "CHANGED", "BY", "LAST USED", "BY BACKEND"),
                (table, secret) -> table.addRow(
                        ApiJson.text(secret, "name"),
                        secret.path("version").asText(),
                        ApiJson.text(secret, "changedAt"),
                        ApiJson.text(secret, "changedBy"),
                        secret.path("lastUsedAt").asText("never"),
                        ApiJson.text(secret, "lastUsedBy")));
        return new CommandLine(new SecretsCommand(secrets))
                .addSubcommand(
                        "list",
                        secrets.listCommand("Lists the names, versions and uses of secrets; values are never shown."))
                .addSubcommand(new SetSecret(sallyport, secrets))
                .addSubcommand("delete", secrets.deleteCommand("Deletes a secret; backends that refer to it go down."));
    }

    @Override
    public Integer call() {
        return secrets.printAll();
    }

    /** {@code secrets set}: stores a secret. */
    @Command(
            name = "set",
            description = {
                "Stores a secret, or replaces its value. For operators.",
                "Reads the value from standard input, without its last line break:",
                "secrets set weather-key < weather.key"
            })
    static final class SetSecret implements Callable<Integer> {
        private final SallyportCommand sallyport;
        private final NamedEntryCommands secrets;

        @Parameters(paramLabel = "NAME", description = "A letter, then letters, digits, _, . and -.")
        private String name = "";

        SetSecret(SallyportCommand sallyport, NamedEntryCommands secrets) {
            this.sallyport = sallyport;
            this.secrets = secrets;
        }

        @Override
        public Integer call() {
            ObjectNode body = ApiJson.object().put("value", readValue());
            ObjectNode stored;
            try {
                stored = sallyport.service().api().put(SECRETS, body, name);
            } catch (ApiProblemException e) {
                if (e.problem().status() != NOT_FOUND) {
                    throw e;
                }
                stored = sallyport.service().api().post(SECRETS, body.put("name", name));
            }
            return secrets.printStored(stored);
        }

        /** From standard input only: an option would be visible to other users of the machine. */
        private String readValue() {
            String value = NamedEntryCommands.readValue(sallyport.environment(), null);
            if (value.isEmpty()) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "There is no value on standard input.",
                        "Pass it as: sallyport secrets set NAME < FILE");
            }
            return value;
        }
    }
}
