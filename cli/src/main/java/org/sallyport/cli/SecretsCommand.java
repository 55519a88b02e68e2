package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code secrets}: manages the secrets of backends. Never shows their values. */
@Command(
        name = "secrets",
        description = "Lists the secrets of the tenant, which backends refer to as secret:NAME; sets and deletes them.")
final class SecretsCommand implements Callable<Integer> {
    private static final String SECRETS = "/secrets";
    private static final int MAX_VALUE_BYTES = 65_536;
    private static final int NOT_FOUND = 404;

    private final SallyportCommand sallyport;

    private SecretsCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new SecretsCommand(sallyport))
                .addSubcommand(new ListSecrets(sallyport))
                .addSubcommand(new SetSecret(sallyport))
                .addSubcommand(new DeleteSecret(sallyport));
    }

    @Override
    public Integer call() {
        return printAll(sallyport);
    }

    private static int printAll(SallyportCommand sallyport) {
        ObjectNode page = sallyport.service().api().get(SECRETS);
        if (sallyport.json()) {
            sallyport.printJson(page);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        TerminalTable table = new TerminalTable("SECRET", "VERSION", "CHANGED", "BY", "LAST USED", "BY BACKEND");
        page.path("items")
                .forEach(secret -> table.addRow(
                        ApiJson.text(secret, "name"),
                        secret.path("version").asText(),
                        ApiJson.text(secret, "changedAt"),
                        ApiJson.text(secret, "changedBy"),
                        secret.path("lastUsedAt").asText("never"),
                        ApiJson.text(secret, "lastUsedBy")));
        table.lines(terminal.style().columns()).forEach(terminal::printResult);
        return ExitCode.COMPLETED.code();
    }

    /** {@code secrets list}: lists all secrets. */
    @Command(name = "list", description = "Lists the names, versions and uses of secrets; values are never shown.")
    static final class ListSecrets implements Callable<Integer> {
        private final SallyportCommand sallyport;

        ListSecrets(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            return printAll(sallyport);
        }
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

        @Parameters(paramLabel = "NAME", description = "A letter, then letters, digits, _, . and -.")
        private String name = "";

        SetSecret(SallyportCommand sallyport) {
            this.sallyport = sallyport;
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
            try {
                byte[] bytes = sallyport.environment().standardInput().readNBytes(MAX_VALUE_BYTES + 1);
                if (bytes.length > MAX_VALUE_BYTES) {
                    throw new CommandException(
                            ExitCode.USAGE, "The value has more than " + MAX_VALUE_BYTES + " bytes.");
                }
                String value = new String(bytes, StandardCharsets.UTF_8).replaceFirst("\r?\n\\z", "");
                if (value.isEmpty()) {
                    throw new CommandException(
                            ExitCode.USAGE,
                            "There is no value on standard input.",
                            "Pass it as: sallyport secrets set NAME < FILE");
                }
                return value;
            } catch (IOException e) {
                throw new CommandException(ExitCode.USAGE, "Standard input cannot be read.");
            }
        }
    }

    /** {@code secrets delete}: deletes a secret. */
    @Command(name = "delete", description = "Deletes a secret; backends that refer to it go down.")
    static final class DeleteSecret implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The secret.")
        private String name = "";

        DeleteSecret(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(SECRETS, name);
            sallyport.printDone("deleted", name, "Deleted.");
            return ExitCode.COMPLETED.code();
        }
    }
}
