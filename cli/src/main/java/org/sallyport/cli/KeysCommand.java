package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.terminal.Durations;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code keys}: who may come in. */
@Command(
        name = "keys",
        description = "Lists the API keys of the tenant; makes, changes and deletes them. For administrators.")
final class KeysCommand implements Callable<Integer> {
    private static final String KEYS = "/api-keys";

    private final Sallyport sallyport;

    private KeysCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    /** With what it is asked to do. */
    static CommandLine of(Sallyport sallyport) {
        return new CommandLine(new KeysCommand(sallyport))
                .addSubcommand(new Create(sallyport, InstantSource.system()))
                .addSubcommand(new Delete(sallyport))
                .addSubcommand(new Grants(sallyport));
    }

    @Override
    public Integer call() {
        ObjectNode page = sallyport.service().api().get(KEYS);
        if (sallyport.json()) {
            sallyport.answer(page);
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        Table table = new Table("KEY", "NAME", "ROLES", "GRANTS", "UNTIL", "LAST USED");
        page.path("items").forEach(key -> {
            List<String> roles = new ArrayList<>();
            key.path("roles").forEach(role -> roles.add(role.asText()));
            List<String> grants = new ArrayList<>();
            key.path("grants").forEach(grant -> grants.add(grant.asText()));
            table.row(
                    Json.text(key, "id"),
                    Json.text(key, "name"),
                    String.join(", ", roles),
                    String.join(", ", grants),
                    key.path("expiresAt").asText("for ever"),
                    key.path("lastUsedAt").asText("never"));
        });
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        return Exit.COMPLETED.code();
    }

    /** Makes one. */
    @Command(name = "create", description = "Makes a key. It is shown this once: the service keeps only its hash.")
    static final class Create implements Callable<Integer> {
        private final Sallyport sallyport;
        private final InstantSource clock;

        @Parameters(paramLabel = "NAME", description = "What it is for, for people.")
        private String name = "";

        @Option(
                names = "--role",
                required = true,
                paramLabel = "ROLE",
                description = "submitter, approver, operator, auditor or admin; may be repeated.")
        private List<String> roles = List.of();

        @Option(
                names = "--grant",
                paramLabel = "GLOB",
                description = "Tools that may be called with it, such as 'demo.*'; may be repeated. Without: all.")
        private List<String> grants = List.of();

        @Option(names = "--for", paramLabel = "TIME", description = "How long it lasts: 12h, 720h. Without: for ever.")
        private @Nullable String lasting;

        Create(Sallyport sallyport, InstantSource clock) {
            this.sallyport = sallyport;
            this.clock = clock;
        }

        @Override
        public Integer call() {
            ObjectNode body = Json.object().put("name", name);
            roles.forEach(body.putArray("roles")::add);
            if (!grants.isEmpty()) {
                grants.forEach(body.putArray("grants")::add);
            }
            if (lasting != null) {
                body.put("expiresAt", end(clock.instant(), lasting));
            }
            ObjectNode made = sallyport.service().api().post(KEYS, body);
            if (sallyport.json()) {
                sallyport.answer(made);
            } else {
                sallyport.terminal().answer(Visible.line(Json.text(made, "key")));
                sallyport
                        .terminal()
                        .note("Keep it now; it is not shown again. Its name in lists: "
                                + Visible.line(Json.text(made, "id")));
            }
            return Exit.COMPLETED.code();
        }

        private static String end(Instant now, String lasting) {
            try {
                Duration time = Durations.parsed(lasting);
                return now.plus(time).truncatedTo(ChronoUnit.SECONDS).toString();
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(Exit.USAGE, "--for: " + e.getMessage() + ".");
            }
        }
    }

    /** Changes what may be called with one. */
    @Command(
            name = "grants",
            description = {
                "Has a key grant these tools and no others, at once and also to what is under way.",
                "'*' is every tool; without any, no tool."
            })
    static final class Grants implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(index = "0", paramLabel = "KEY", description = "The key's id, as 'sallyport keys' lists it.")
        private String id = "";

        @Parameters(
                index = "1..*",
                arity = "0..*",
                paramLabel = "GLOB",
                description = "Tools that may be called with it, such as 'demo.*'.")
        private List<String> grants = List.of();

        Grants(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = Json.object();
            grants.forEach(body.putArray("grants")::add);
            ObjectNode key = sallyport.service().api().put(KEYS, body, id, "grants");
            if (sallyport.json()) {
                sallyport.answer(key);
            } else {
                sallyport.terminal().note(grants.isEmpty() ? "It grants no tool now." : "It grants these now.");
            }
            return Exit.COMPLETED.code();
        }
    }

    /** Deletes one. */
    @Command(
            name = "delete",
            description = "Deletes a key: who has it is out at once, sessions at the console included.")
    static final class Delete implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(paramLabel = "KEY", description = "The key's id, as 'sallyport keys' lists it.")
        private String id = "";

        Delete(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(KEYS, id);
            sallyport.done("deleted", id, "Deleted.");
            return Exit.COMPLETED.code();
        }
    }
}
