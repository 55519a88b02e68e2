package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.local.ServerLog;
import org.sallyport.cli.local.ServerSettings;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code logs}: what the service printed, or what a script printed. */
@Command(
        name = "logs",
        description = {
            "Shows the log of the service on this machine, or with an ID what that execution has printed.",
            "Following an execution ends when it ends; with --json its events are printed, one a line."
        })
final class LogsCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Parameters(arity = "0..1", paramLabel = "ID", description = "An execution; without it, the service.")
    private String id = "";

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with what is added.")
    private boolean follow;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "Lines of the service's log to begin with (50).")
    private int lines = 50;

    LogsCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        return (id.isEmpty() ? ofService() : ofExecution()).code();
    }

    private Exit ofExecution() {
        SallyportApi api = sallyport.service().api();
        Terminal terminal = sallyport.terminal();
        if (follow && sallyport.json()) {
            return Exit.ofState(new EventLines(api, terminal).toEnd(id).state());
        }
        if (follow) {
            Execution execution = new Follower(api, terminal, true).toEnd(id);
            new Report(terminal).end(execution, Optional.empty(), "the script");
            return Exit.ofState(execution.state());
        }
        Execution execution = api.execution(id);
        if (sallyport.json()) {
            sallyport.answer(Json.object()
                    .put("output", execution.output().text())
                    .put("errorOutput", execution.errorOutput().text()));
            return Exit.COMPLETED;
        }
        terminal.scriptOutput(execution.output().text());
        terminal.scriptErrorOutput(execution.errorOutput().text());
        return Exit.COMPLETED;
    }

    private Exit ofService() {
        ServerSettings settings = sallyport.surroundings().serverSettings();
        ServerLog log = new ServerLog(settings.log());
        Terminal terminal = sallyport.terminal();
        try {
            long end = log.length();
            if (sallyport.json()) {
                return asJson(log, settings);
            }
            if (end == 0 && !follow) {
                terminal.note("There is no log yet: the service has not been started with " + settings.data() + ".");
                return Exit.COMPLETED;
            }
            log.tail(Math.max(0, lines), 0).forEach(terminal::answer);
            if (follow) {
                log.follow(end, terminal::scriptOutput, LogsCommand::pause);
            }
            return Exit.COMPLETED;
        } catch (IOException e) {
            throw new CommandFailure(Exit.FAILED, settings.log() + " cannot be read: " + e.getMessage());
        }
    }

    private Exit asJson(ServerLog log, ServerSettings settings) throws IOException {
        if (follow) {
            throw new CommandFailure(Exit.USAGE, "The log of the service is text: --json does not follow it.");
        }
        ObjectNode json = Json.object().put("log", settings.log().toString());
        log.tail(Math.max(0, lines), 0).forEach(json.putArray("lines")::add);
        sallyport.answer(json);
        return Exit.COMPLETED;
    }

    private static boolean pause() {
        try {
            Thread.sleep(300);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
