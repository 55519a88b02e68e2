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

/** {@code backends}: where tools come from. */
@Command(name = "backends", description = "Lists the backends whose tools scripts call; adds, restarts, removes them.")
final class BackendsCommand implements Callable<Integer> {
    private static final String BACKENDS = "/backends";

    private final SallyportCommand sallyport;

    private BackendsCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    /** With what it is asked to do. */
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
            terminal.printNote("None is configured. Add one: sallyport backends add --help");
            return ExitCode.COMPLETED.code();
        }
        TerminalTable table = new TerminalTable(
                "BACKEND", "KIND", "STATE", "BREAKER", "TOOLS", "QUARANTINED", "P50 MS", "P99 MS", "SINCE");
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
                        recentLatency(backend, "p50Millis"),
                        recentLatency(backend, "p99Millis"),
                        ApiJson.text(backend.path("status"), "since")));
        table.lines(terminal.style().columns()).forEach(terminal::printResult);
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

    /** Shows one. */
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

    /** Adds one. */
    @Command(
            name = "add",
            description = {
                "Adds a backend and connects it. For administrators: a command runs as the service does.",
                "backends add files --kind mcp-stdio --settings '{\"command\": \"npx\", \"args\": [\"-y\", \"…\"]}'"
            })
    static final class AddBackend implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "What scripts call it: letters, digits, _ and -.")
        private String name = "";

        @Option(
                names = "--kind",
                required = true,
                paramLabel = "KIND",
                description = "mcp-stdio, mcp-http, http or external; sql is for sallyport.yaml.")
        private String kind = "";

        @Option(
                names = "--settings",
                required = true,
                paramLabel = "JSON|@FILE",
                description = "As docs/backends.md says for its kind.")
        private String settings = "";

        AddBackend(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = ApiJson.object().put("name", name).put("kind", kind);
            SubmissionOptions.parseJsonOption("--settings", settings, sallyport.environment())
                    .ifPresent(value -> body.set("settings", value));
            return printState(sallyport, sallyport.service().api().post(BACKENDS, body));
        }
    }

    /** Connects one anew. */
    @Command(name = "restart", description = "Connects a backend anew, on every node. For operators.")
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

    /** Accepts what one declares now. */
    @Command(
            name = "accept",
            description = "Lets the changed definition of a tool count, after somebody has looked at it.")
    static final class AcceptToolDefinition implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(index = "0", paramLabel = "NAME", description = "The backend.")
        private String name = "";

        @Parameters(index = "1", paramLabel = "TOOL", description = "The tool, without its backend.")
        private String tool = "";

        @Parameters(index = "2", paramLabel = "HASH", description = "Its pendingHash, as 'backends show' says.")
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

    /** Removes one. */
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
