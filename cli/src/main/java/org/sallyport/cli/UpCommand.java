package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.local.LocalServer;
import org.sallyport.cli.local.ServerCommandLine;
import org.sallyport.cli.local.ServerProcessRecord;
import org.sallyport.cli.local.ServerSettings;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code up}: starts the service on this machine in the background. */
@Command(
        name = "up",
        description = {
            "Starts the service on this machine in the background and waits until it is ready.",
            "A service that is already running stays as it is."
        })
final class UpCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Option(
            names = "--print-command",
            hidden = true,
            description = "Print the service's command line, one argument per line, and start nothing.")
    private boolean printCommand;

    UpCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Terminal terminal = sallyport.terminal();
        ServerSettings settings = sallyport.environment().serverSettings();
        if (printCommand) {
            ServerCommandLine.build(settings).forEach(terminal::printResult);
            terminal.printNote("Each start of the service writes the file of --prebootcommandfile.");
            return ExitCode.COMPLETED.code();
        }
        ServiceLocator service = sallyport.service();
        Optional<ServerProcessRecord> before = service.findRunning();
        if (before.isPresent()
                && sallyport.environment().choosesAddress()
                && !before.get().url().equals(settings.url())) {
            throw new CommandException(
                    ExitCode.UNREACHABLE,
                    "The service of " + settings.dataDirectory() + " runs at "
                            + before.get().url() + ", not at " + settings.url() + ".",
                    "Stop it first (sallyport down), or choose another data directory with SALLYPORT_DATA.");
        }
        LocalServer.ServerStartResult started = service.startLocal();
        if (sallyport.json()) {
            sallyport.printJson(json(started, settings));
            return ExitCode.COMPLETED.code();
        }
        if (!started.newlyStarted()) {
            terminal.printNote("The service is already running at "
                    + started.server().url() + " (pid " + started.server().pid() + ").");
        }
        terminal.printNote("  API        " + started.server().url() + "/api/v1");
        terminal.printNote("  admin key  " + settings.keyFile());
        terminal.printNote("  data       " + settings.dataDirectory());
        terminal.printNote("  log        " + settings.logFile());
        terminal.printNote("Try: sallyport run examples/hello.ts    Stop: sallyport down");
        return ExitCode.COMPLETED.code();
    }

    private static ObjectNode json(LocalServer.ServerStartResult started, ServerSettings settings) {
        return ApiJson.object()
                .put("url", started.server().url().toString())
                .put("pid", started.server().pid())
                .put("started", started.newlyStarted())
                .put("keyFile", settings.keyFile().toString())
                .put("data", settings.dataDirectory().toString())
                .put("log", settings.logFile().toString());
    }
}
