package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTable;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code backends}: manages the backends that provide tools. */
@Command(name = "backends", description = "Lists the backends that provide tools; adds, restarts and removes them.")
final class BackendsCommand implements Callable<Integer> {
    private static final String BACKENDS = "/backends";

    private final SallyportCommand sallyport;

    private BackendsCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new BackendsCommand(sallyport))
                .addSubcommand(new ShowBackend(sallyport))
                .addSubcommand(new AddBackend(sallyport))
                .addSubcommand(new RestartBackend(sallyport))
                .addSubcommand(new AcceptToolDefinition(sallyport))
                .addSubcommand(new RemoveBackend(sallyport));
    }

    @Override
    public Integer call() {
        ObjectNode page = sallyport.service().api().get(BACKENDS);
        if (sallyport.json()) {
            sallyport.printJson(page);
            return ExitCode.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (page.path("items").isEmpty()) {
            terminal.printNote("No backends are configured. See: sallyport backends add --help");
            return ExitCode.COMPLETED.code();
        }
        TerminalTable table = new TerminalTable(
                "BACKEND", "KIND", "STATE", "BREAKER", "TOOLS", "QUARANTINED", "UNUSABLE", "P50 MS", "P99 MS", "SINCE");
        page.path("items")
                .forEach(backend -> table.addRow(
                        ApiJson.text(backend, "name"),
                        ApiJson.text(backend, "kind"),
                        backend.path("enabled").asBoolean(true)
                                ? ApiJson.text(backend.path("status"), "state")
                                : "disabled",
                        backend.path("breaker").path("state").asText("-"),
                        backend.path("toolCount").asText(),
                        backend.path("quarantinedCount").asText(),
                        backend.path("unusableCount").asText(),
                        recentLatency(backend, "p50Millis"),
                        recentLatency(backend, "p99Millis"),
                        ApiJson.text(backend.path("status"), "since")));
        terminal.printTable(table);
        return ExitCode.COMPLETED.code();
    }

    private static String recentLatency(JsonNode backend, String percentile) {
        JsonNode latency = backend.path("latency");
        return latency.path("calls").asLong() == 0
                ? "-"
                : String.format(Locale.ROOT, "%.1f", latency.path(percentile).asDouble());
    }

    private static int printState(SallyportCommand sallyport, ObjectNode backend) {
        if (sallyport.json()) {
            sallyport.printJson(backend);
        } else {
            String state = ApiJson.text(backend.path("status"), "state");
            sallyport
                    .terminal()
                    .printNote(TerminalTextEscaper.escapeLine(ApiJson.text(backend, "name") + " is " + state));
        }
        return ExitCode.COMPLETED.code();
    }

    /** {@code backends show}: shows one backend. */
    @Command(name = "show", description = "Shows a backend with its settings and tools, as JSON.")
    static final class ShowBackend implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The backend.")
        private String name = "";

        ShowBackend(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.printJson(sallyport.service().api().get(BACKENDS, name));
            return ExitCode.COMPLETED.code();
        }
    }

    /** {@code backends add}: adds a backend. */
    @Command(
            name = "add",
            description = {
                "Adds a backend and connects to it. For administrators: a command runs with the rights of the service.",
                "backends add files --kind mcp-stdio --settings '{\"command\": \"npx\", \"args\": [\"-y\", \"…\"]}'"
            })
    static final class AddBackend implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "Its name in scripts: letters, digits, _ and -.")
        private String name = "";

        @Option(
                names = "--kind",
                required = true,
                paramLabel = "KIND",
                description = "mcp-stdio, mcp-http, http or external; sql only in sallyport.yaml.")
        private String kind = "";

        @Option(
                names = "--settings",
                required = true,
                paramLabel = "JSON|@FILE",
                description = "Settings for this kind of backend; see docs/backends.md.")
        private String settings = "";

        AddBackend(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = ApiJson.object().put("name", name).put("kind", kind);
            ExecutionOptions.parseJsonOption("--settings", settings, sallyport.environment())
                    .ifPresent(value -> body.set("settings", value));
            return printState(sallyport, sallyport.service().api().post(BACKENDS, body));
        }
    }

    /** {@code backends restart}: reconnects a backend. */
    @Command(name = "restart", description = "Reconnects a backend on every node. For operators.")
    static final class RestartBackend implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The backend.")
        private String name = "";

        RestartBackend(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            return printState(sallyport, sallyport.service().api().post(BACKENDS, ApiJson.object(), name, "restart"));
        }
    }

    /** {@code backends accept}: accepts the changed definition of a tool. */
    @Command(name = "accept", description = "Accepts the changed definition of a quarantined tool, after a review.")
    static final class AcceptToolDefinition implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(index = "0", paramLabel = "NAME", description = "The backend.")
        private String name = "";

        @Parameters(index = "1", paramLabel = "TOOL", description = "The tool, without its backend.")
        private String tool = "";

        @Parameters(index = "2", paramLabel = "HASH", description = "The tool's pendingHash, from 'backends show'.")
        private String hash = "";

        AcceptToolDefinition(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = ApiJson.object().put("hash", hash);
            return printState(sallyport, sallyport.service().api().post(BACKENDS, body, name, "tools", tool, "accept"));
        }
    }

    /** {@code backends remove}: removes a backend. */
    @Command(name = "remove", description = "Removes a backend; its open calls fail.")
    static final class RemoveBackend implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The backend.")
        private String name = "";

        RemoveBackend(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(BACKENDS, name);
            sallyport.printDone("removed", name, "Removed.");
            return ExitCode.COMPLETED.code();
        }
    }
}
