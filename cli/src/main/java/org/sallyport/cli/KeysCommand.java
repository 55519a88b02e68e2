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
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.DurationFormat;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code keys}: manages API keys. */
@Command(
        name = "keys",
        description = "Lists the API keys of the tenant; creates, changes and deletes them. For administrators.")
final class KeysCommand implements Callable<Integer> {
    private static final String KEYS = "/api-keys";

    private final SallyportCommand sallyport;

    private KeysCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new KeysCommand(sallyport))
                .addSubcommand(new CreateApiKey(sallyport, InstantSource.system()))
                .addSubcommand(new DeleteApiKey(sallyport))
                .addSubcommand(new SetApiKeyGrants(sallyport));
    }

    @Override
    public Integer call() {
        ObjectNode page = sallyport.service().api().get(KEYS);
        if (sallyport.json()) {
            sallyport.printJson(page);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        TerminalTable table = new TerminalTable("KEY", "NAME", "ROLES", "GRANTS", "EXPIRES", "LAST USED");
        page.path("items").forEach(key -> {
            List<String> roles = new ArrayList<>();
            key.path("roles").forEach(role -> roles.add(role.asText()));
            List<String> grants = new ArrayList<>();
            key.path("grants").forEach(grant -> grants.add(grant.asText()));
            table.addRow(
                    ApiJson.text(key, "id"),
                    ApiJson.text(key, "name"),
                    String.join(", ", roles),
                    String.join(", ", grants),
                    key.path("expiresAt").asText("never"),
                    key.path("lastUsedAt").asText("never"));
        });
        terminal.printTable(table);
        return ExitCode.COMPLETED.code();
    }

    /** {@code keys create}: creates a key. */
    @Command(name = "create", description = "Creates a key. It is shown only once: the service stores only its hash.")
    static final class CreateApiKey implements Callable<Integer> {
        private final SallyportCommand sallyport;
        private final InstantSource clock;

        @Parameters(paramLabel = "NAME", description = "Its purpose, for people.")
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
                description = "Tools that it grants, such as 'demo.*'; may be repeated. Without it: all tools.")
        private List<String> grants = List.of();

        @Option(names = "--for", paramLabel = "TIME", description = "Lifetime: 12h, 720h. Without it: unlimited.")
        private @Nullable String validFor;

        CreateApiKey(SallyportCommand sallyport, InstantSource clock) {
            this.sallyport = sallyport;
            this.clock = clock;
        }

        @Override
        public Integer call() {
            ObjectNode body = ApiJson.object().put("name", name);
            roles.forEach(body.putArray("roles")::add);
            if (!grants.isEmpty()) {
                grants.forEach(body.putArray("grants")::add);
            }
            if (validFor != null) {
                body.put("expiresAt", expiresAt(clock.instant(), validFor));
            }
            ObjectNode created = sallyport.service().api().post(KEYS, body);
            if (sallyport.json()) {
                sallyport.printJson(created);
            } else {
                sallyport.terminal().printResult(TerminalTextEscaper.escapeLine(ApiJson.text(created, "key")));
                sallyport
                        .terminal()
                        .printNote("Save it now; it is not shown again. Key ID: "
                                + TerminalTextEscaper.escapeLine(ApiJson.text(created, "id")));
            }
            return ExitCode.COMPLETED.code();
        }

        private static String expiresAt(Instant now, String lasting) {
            try {
                Duration time = DurationFormat.parse(lasting);
                return now.plus(time).truncatedTo(ChronoUnit.SECONDS).toString();
            } catch (IllegalArgumentException e) {
                throw new CommandException(ExitCode.USAGE, "--for: " + e.getMessage() + ".");
            }
        }
    }

    /** {@code keys grants}: replaces the grants of a key. */
    @Command(
            name = "grants",
            description = {
                "Replaces the tools that a key grants, immediately and also for running executions.",
                "'*' grants every tool; without a GLOB, the key grants no tool."
            })
    static final class SetApiKeyGrants implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(index = "0", paramLabel = "KEY", description = "Id of the key, from 'sallyport keys'.")
        private String id = "";

        @Parameters(
                index = "1..*",
                arity = "0..*",
                paramLabel = "GLOB",
                description = "Tools that it grants, such as 'demo.*'.")
        private List<String> grants = List.of();

        SetApiKeyGrants(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = ApiJson.object();
            grants.forEach(body.putArray("grants")::add);
            ObjectNode key = sallyport.service().api().put(KEYS, body, id, "grants");
            if (sallyport.json()) {
                sallyport.printJson(key);
            } else {
                sallyport
                        .terminal()
                        .printNote(
                                grants.isEmpty()
                                        ? "The key grants no tool now."
                                        : "The key grants only these tools now.");
            }
            return ExitCode.COMPLETED.code();
        }
    }

    /** {@code keys delete}: deletes a key. */
    @Command(
            name = "delete",
            description = "Deletes a key. It stops working immediately, and its console sessions end.")
    static final class DeleteApiKey implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "KEY", description = "Id of the key, from 'sallyport keys'.")
        private String id = "";

        DeleteApiKey(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(KEYS, id);
            sallyport.printDone("deleted", id, "Deleted.");
            return ExitCode.COMPLETED.code();
        }
    }
}
