package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.TerminalTextEscaper;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code events}: emits and follows the events of the tenant. */
@Command(name = "events", description = "Emits events for waiting scripts, and follows the events of the tenant.")
final class EventsCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    private EventsCommand() {}

    /** Returns the command with its subcommands. */
    static CommandLine of(SallyportCommand sallyport) {
        return new CommandLine(new EventsCommand())
                .addSubcommand(new EmitEvents(sallyport))
                .addSubcommand(new FollowEvents(sallyport));
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "Name a subcommand: emit or follow.");
        }
    }

    /** {@code events emit}: emits an event. */
    @Command(
            name = "emit",
            description = {
                "Emits an event; scripts that wait for its name continue.",
                "Repeats the request while the service does not answer; the event is emitted once."
            })
    static final class EmitEvents implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Parameters(paramLabel = "NAME", description = "The name for which scripts wait.")
        private String name = "";

        @Option(
                names = "--payload",
                paramLabel = "JSON|@FILE",
                description = "The payload: JSON, or a file that contains it; null if it is missing.")
        private @Nullable String payload;

        @Option(
                names = "--idempotency-key",
                paramLabel = "KEY",
                description = "Emit the event once, although this command is run again with the same key.")
        private @Nullable String idempotencyKey;

        EmitEvents(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            ObjectNode event = ApiJson.object().put("name", name);
            ExecutionOptions.parseJsonOption("--payload", payload, sallyport.environment())
                    .ifPresent(json -> event.set("payload", json));
            SallyportApiClient api = sallyport.service().api();
            String key = idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
            ObjectNode stored = CliRetryPolicy.retry(() -> api.emitEvent(event, key));
            if (sallyport.json()) {
                sallyport.printJson(stored);
            } else {
                sallyport
                        .terminal()
                        .printNote(TerminalTextEscaper.escapeLine(name) + " is emitted as event "
                                + ApiJson.text(stored, "seq") + ".");
            }
            return ExitCode.COMPLETED.code();
        }
    }

    /** {@code events follow}: prints events as they are emitted. */
    @Command(
            name = "follow",
            description = {
                "Prints the events of the tenant from now on, until it is interrupted.",
                "With --json, prints each event as one line of JSON."
            })
    static final class FollowEvents implements Callable<Integer> {
        private final SallyportCommand sallyport;

        @Option(
                names = "--name",
                paramLabel = "NAME",
                description = "Only events of this name. May be given more than once.")
        private List<String> names = List.of();

        @Option(
                names = "--after",
                paramLabel = "SEQ",
                description = "Begin after the event of this number; 0 begins with the oldest stored event.")
        private @Nullable Long after;

        @Option(names = "--count", paramLabel = "N", description = "Stop after this number of events.")
        private long count = Long.MAX_VALUE;

        FollowEvents(SallyportCommand sallyport) {
            this.sallyport = sallyport;
        }

        @Override
        public Integer call() {
            new TenantEventFollower(sallyport.service().api(), sallyport.terminal(), sallyport.json())
                    .follow(names, after == null ? "" : after.toString(), count);
            return ExitCode.COMPLETED.code();
        }
    }
}
