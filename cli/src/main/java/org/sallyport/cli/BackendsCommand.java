package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.terminal.Table;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.Visible;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code backends}: where tools come from. */
@Command(name = "backends", description = "Lists the backends whose tools scripts call; adds, restarts, removes them.")
final class BackendsCommand implements Callable<Integer> {
    private static final String BACKENDS = "/backends";

    private final Sallyport sallyport;

    private BackendsCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    /** With what it is asked to do. */
    static CommandLine of(Sallyport sallyport) {
        return new CommandLine(new BackendsCommand(sallyport))
                .addSubcommand(new Show(sallyport))
                .addSubcommand(new Add(sallyport))
                .addSubcommand(new Restart(sallyport))
                .addSubcommand(new Accept(sallyport))
                .addSubcommand(new Remove(sallyport));
    }

    @Override
    public Integer call() {
        ObjectNode page = sallyport.service().api().get(BACKENDS);
        if (sallyport.json()) {
            sallyport.answer(page);
            return Exit.COMPLETED.code();
        }
        Terminal terminal = sallyport.terminal();
        if (page.path("items").isEmpty()) {
            terminal.note("None is configured. Add one: sallyport backends add --help");
            return Exit.COMPLETED.code();
        }
        Table table =
                new Table("BACKEND", "KIND", "STATE", "BREAKER", "TOOLS", "QUARANTINED", "P50 MS", "P99 MS", "SINCE");
        page.path("items")
                .forEach(backend -> table.row(
                        Json.text(backend, "name"),
                        Json.text(backend, "kind"),
                        backend.path("enabled").asBoolean(true)
                                ? Json.text(backend.path("status"), "state")
                                : "disabled",
                        backend.path("breaker").path("state").asText("-"),
                        backend.path("toolCount").asText(),
                        backend.path("quarantinedCount").asText(),
                        lately(backend, "p50Millis"),
                        lately(backend, "p99Millis"),
                        Json.text(backend.path("status"), "since")));
        table.lines(terminal.look().columns()).forEach(terminal::answer);
        return Exit.COMPLETED.code();
    }

    private static String lately(JsonNode backend, String percentile) {
        JsonNode latency = backend.path("latency");
        return latency.path("calls").asLong() == 0
                ? "-"
                : String.format(Locale.ROOT, "%.1f", latency.path(percentile).asDouble());
    }

    private static int tell(Sallyport sallyport, ObjectNode backend) {
        if (sallyport.json()) {
            sallyport.answer(backend);
        } else {
            String state = Json.text(backend.path("status"), "state");
            sallyport.terminal().note(Visible.line(Json.text(backend, "name") + " is " + state));
        }
        return Exit.COMPLETED.code();
    }

    /** Shows one. */
    @Command(name = "show", description = "Shows a backend with its settings and tools, as JSON.")
    static final class Show implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(paramLabel = "NAME", description = "The backend.")
        private String name = "";

        Show(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.answer(sallyport.service().api().get(BACKENDS, name));
            return Exit.COMPLETED.code();
        }
    }

    /** Adds one. */
    @Command(
            name = "add",
            description = {
                "Adds a backend and connects it. For administrators: a command runs as the service does.",
                "backends add files --kind mcp-stdio --settings '{\"command\": \"npx\", \"args\": [\"-y\", \"…\"]}'"
            })
    static final class Add implements Callable<Integer> {
        private final Sallyport sallyport;

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

        Add(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = Json.object().put("name", name).put("kind", kind);
            Submission.given("--settings", settings, sallyport.surroundings())
                    .ifPresent(value -> body.set("settings", value));
            return tell(sallyport, sallyport.service().api().post(BACKENDS, body));
        }
    }

    /** Connects one anew. */
    @Command(name = "restart", description = "Connects a backend anew, on every node. For operators.")
    static final class Restart implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(paramLabel = "NAME", description = "The backend.")
        private String name = "";

        Restart(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            return tell(sallyport, sallyport.service().api().post(BACKENDS, Json.object(), name, "restart"));
        }
    }

    /** Accepts what one declares now. */
    @Command(
            name = "accept",
            description = "Lets the changed definition of a tool count, after somebody has looked at it.")
    static final class Accept implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(index = "0", paramLabel = "NAME", description = "The backend.")
        private String name = "";

        @Parameters(index = "1", paramLabel = "TOOL", description = "The tool, without its backend.")
        private String tool = "";

        @Parameters(index = "2", paramLabel = "HASH", description = "Its pendingHash, as 'backends show' says.")
        private String hash = "";

        Accept(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode body = Json.object().put("hash", hash);
            return tell(sallyport, sallyport.service().api().post(BACKENDS, body, name, "tools", tool, "accept"));
        }
    }

    /** Removes one. */
    @Command(name = "remove", description = "Removes a backend; its open calls fail.")
    static final class Remove implements Callable<Integer> {
        private final Sallyport sallyport;

        @Parameters(paramLabel = "NAME", description = "The backend.")
        private String name = "";

        Remove(Sallyport sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            sallyport.service().api().delete(BACKENDS, name);
            sallyport.done("removed", name, "Removed.");
            return Exit.COMPLETED.code();
        }
    }
}
