package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.local.ServerLog;
import org.sallyport.cli.local.ServerSettings;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code logs}: shows the log of the local service, or the output of one execution. */
@Command(
        name = "logs",
        description = {
            "Shows the log of the service on this machine or, with an ID, the output of that execution.",
            "With -f, follows an execution until it ends; with -f --json, prints its events, one per line."
        })
final class LogsCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Parameters(arity = "0..1", paramLabel = "ID", description = "An execution; without it, the service's log.")
    private String id = "";

    @Option(
            names = {"-f", "--follow"},
            description = "Print new output as it appears.")
    private boolean follow;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "Number of last lines of the service's log to print first (50).")
    private int lines = 50;

    LogsCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        return (id.isEmpty() ? showServiceLog() : showExecutionOutput()).code();
    }

    private ExitCode showExecutionOutput() {
        SallyportApiClient api = sallyport.service().api();
        Terminal terminal = sallyport.terminal();
        if (follow && sallyport.json()) {
            return ExitCode.ofState(
                    new EventLinePrinter(api, terminal).followToEnd(id).state());
        }
        if (follow) {
            ApiExecution execution = new ExecutionFollower(api, terminal, true).followToEnd(id);
            new ExecutionReport(terminal).printEnd(execution, Optional.empty(), "the script");
            return ExitCode.ofState(execution.state());
        }
        ApiExecution execution = api.execution(id);
        if (sallyport.json()) {
            sallyport.printJson(ApiJson.object()
                    .put("output", execution.output().text())
                    .put("errorOutput", execution.errorOutput().text()));
            return ExitCode.COMPLETED;
        }
        new OutputPrinter(api, terminal).printAll(execution);
        return ExitCode.COMPLETED;
    }

    private ExitCode showServiceLog() {
        ServerSettings settings = sallyport.environment().serverSettings();
        ServerLog log = new ServerLog(settings.logFile());
        Terminal terminal = sallyport.terminal();
        try {
            long end = log.length();
            if (sallyport.json()) {
                return printLogAsJson(log, settings);
            }
            if (end == 0 && !follow) {
                terminal.printNote("There is no log yet: no service has been started with the data directory "
                        + settings.dataDirectory() + ".");
                return ExitCode.COMPLETED;
            }
            log.tail(Math.max(0, lines), 0).forEach(terminal::printResult);
            if (follow) {
                log.follow(end, terminal::printScriptOutput, LogsCommand::pause);
            }
            return ExitCode.COMPLETED;
        } catch (IOException e) {
            throw new CommandException(ExitCode.FAILED, settings.logFile() + " cannot be read: " + e.getMessage());
        }
    }

    private ExitCode printLogAsJson(ServerLog log, ServerSettings settings) throws IOException {
        if (follow) {
            throw new CommandException(ExitCode.USAGE, "The log of the service is text, so --json cannot follow it.");
        }
        ObjectNode json = ApiJson.object().put("log", settings.logFile().toString());
        log.tail(Math.max(0, lines), 0).forEach(json.putArray("lines")::add);
        sallyport.printJson(json);
        return ExitCode.COMPLETED;
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
