package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code secrets}: what backends need and nobody is shown. */
@Command(name = "secrets", description = "The secrets of the tenant, which backends refer to as secret:NAME.")
final class SecretsCommand implements Callable<Integer> {
    private static final String SECRETS = "/secrets";
    private static final int LONGEST = 65_536;
    private static final int NOT_FOUND = 404;

    private final Sallyport sallyport;

    private SecretsCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    /** With what it is asked to do. */
    static CommandLine of(Sallyport sallyport) {
        return new CommandLine(new SecretsCommand(sallyport))
                .addSubcommand(new ListSecrets(sallyport))
                .addSubcommand(new Set(sallyport))
                .addSubcommand(new Delete(sallyport));
    }

    @Override
    public Integer call() {
        return list(sallyport);
    }

    private static int list(Sallyport sallyport) {
        ObjectNode page = sallyport.service().api().get(SECRETS);
        if (sallyport.json()) {
            sallyport.answer(page);
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        Table table = new Table("SECRET", "VERSION", "CHANGED", "BY", "LAST USED", "BY BACKEND");
        page.path("items")
                .forEach(secret -> table.row(
                        Json.text(secret, "name"),
                        secret.path("version").asText(),
                        Json.text(secret, "changedAt"),
                        Json.text(secret, "changedBy"),
                        secret.path("lastUsedAt").asText("never"),
                        Json.text(secret, "lastUsedBy")));
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        return Exit.COMPLETED.code();
    }

    /** Lists them. */
    @Command(name = "list", description = "Lists their names, versions and uses; values are never shown.")
    static final class ListSecrets implements Callable<Integer> {
        private final Sallyport sallyport;

        ListSecrets(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            return list(sallyport);
        }
    }

    /** Stores one. */
    @Command(
            name = "set",
            description = {
                "Stores a secret, or gives it another value. For operators.",
                "The value is read from the standard input, without its last line break:",
                "secrets set weather-key < weather.key"
            })
    static final class Set implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(paramLabel = "NAME", description = "A letter, then letters, digits, _, . and -.")
        private String name = "";

        Set(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = Json.object().put("value", value());
            ObjectNode stored;
            try {
                stored = sallyport.service().api().put(SECRETS, body, name);
            } catch (ProblemException e) {
                if (e.problem().status() != NOT_FOUND) {
                    throw e;
                }
                stored = sallyport.service().api().post(SECRETS, body.put("name", name));
            }
            if (sallyport.json()) {
                sallyport.answer(stored);
            } else {
                sallyport
                        .terminal()
                        .note(Visible.line(Json.text(stored, "name")) + " has version "
                                + stored.path("version").asText() + ".");
            }
            return Exit.COMPLETED.code();
        }

        private String value() {
            try {
                byte[] bytes = sallyport.surroundings().input().readNBytes(LONGEST + 1);
                if (bytes.length > LONGEST) {
                    throw new CommandFailure(Exit.USAGE, "The value has more than " + LONGEST + " bytes.");
                }
                String value = new String(bytes, StandardCharsets.UTF_8).replaceFirst("\r?\n\\z", "");
                if (value.isEmpty()) {
                    throw new CommandFailure(
                            Exit.USAGE,
                            "There is no value on the standard input.",
                            "Give it so: sallyport secrets set NAME < FILE");
                }
                return value;
            } catch (IOException e) {
                throw new CommandFailure(Exit.USAGE, "The standard input cannot be read.");
            }
        }
    }

    /** Deletes one. */
    @Command(name = "delete", description = "Forgets a secret; backends that refer to it go down.")
    static final class Delete implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(paramLabel = "NAME", description = "The secret.")
        private String name = "";

        Delete(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(SECRETS, name);
            sallyport.done("deleted", name, "Deleted.");
            return Exit.COMPLETED.code();
        }
    }
}
