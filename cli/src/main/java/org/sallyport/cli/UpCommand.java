package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.local.LocalServer;
import org.sallyport.cli.local.ServerCommand;
import org.sallyport.cli.local.ServerRecord;
import org.sallyport.cli.local.ServerSettings;
import org.sallyport.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code up}: the service of this machine, in the background. */
@Command(
        name = "up",
        description = {
            "Starts the service on this machine in the background and waits until it is ready.",
            "A service that runs already is left as it is."
        })
final class UpCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Option(
            names = "--print-command",
            hidden = true,
            description = "Print the service's command line, an argument a line, and start nothing.")
    private boolean printCommand;

    UpCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Terminal terminal = sallyport.terminal();
        ServerSettings settings = sallyport.surroundings().serverSettings();
        if (printCommand) {
            ServerCommand.of(settings).forEach(terminal::answer);
            terminal.note("The file of --prebootcommandfile is written by each start of the service.");
            return Exit.COMPLETED.code();
        }
        Service service = sallyport.service();
        Optional<ServerRecord> before = service.running();
        if (before.isPresent()
                && sallyport.surroundings().choosesAddress()
                && !before.get().url().equals(settings.url())) {
            throw new CommandFailure(
                    Exit.UNREACHABLE,
                    "The service of " + settings.data() + " runs at "
                            + before.get().url() + ", not at " + settings.url() + ".",
                    "Stop it first (sallyport down), or choose another data directory by SALLYPORT_DATA.");
        }
        LocalServer.Started started = service.up();
        if (sallyport.json()) {
            sallyport.answer(json(started, settings));
            return Exit.COMPLETED.code();
        }
        if (!started.fresh()) {
            terminal.note("The service runs already at " + started.server().url() + " (pid "
                    + started.server().pid() + ").");
        }
        terminal.note("  API        " + started.server().url() + "/api/v1");
        terminal.note("  admin key  " + settings.keyFile());
        terminal.note("  data       " + settings.data());
        terminal.note("  log        " + settings.log());
        terminal.note("Try: sallyport run examples/hello.ts    Stop: sallyport down");
        return Exit.COMPLETED.code();
    }

    private static ObjectNode json(LocalServer.Started started, ServerSettings settings) {
        return Json.object()
                .put("url", started.server().url().toString())
                .put("pid", started.server().pid())
                .put("started", started.fresh())
                .put("keyFile", settings.keyFile().toString())
                .put("data", settings.data().toString())
                .put("log", settings.log().toString());
    }
}
