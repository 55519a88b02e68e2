package org.sallyport.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.local.LocalServer.ServerStopResult;
import org.sallyport.cli.terminal.DurationFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code down}: stops the service on this machine. */
@Command(name = "down", description = "Stops the service on this machine. Its data stays.")
final class DownCommand implements Callable<Integer> {
    private final SallyportCommand sallyport;

    @Option(names = "--grace", paramLabel = "TIME", description = "Time to stop by itself before it is killed (30s).")
    private String grace = "30s";

    DownCommand(SallyportCommand sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        ServerStopResult stopped;
        sallyport.terminal().showProgress("Stopping the service ...");
        try {
            stopped = sallyport.service().localServer().stop(parseGrace());
        } catch (IOException e) {
            throw new CommandException(ExitCode.FAILED, "The service could not be stopped: " + e.getMessage());
        }
        if (sallyport.json()) {
            sallyport.printJson(ApiJson.object().put("stopped", stopped.name().toLowerCase(Locale.ROOT)));
        } else {
            sallyport.terminal().printNote(describe(stopped));
        }
        return ExitCode.COMPLETED.code();
    }

    private Duration parseGrace() {
        try {
            return DurationFormat.parse(grace);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, "--grace: " + e.getMessage() + ".");
        }
    }

    private static String describe(ServerStopResult stopped) {
        return switch (stopped) {
            case WAS_NOT_RUNNING -> "The service was not running.";
            case ENDED -> "The service has stopped.";
            case KILLED -> "The service did not stop in time and was killed.";
            case LEFTOVERS_ENDED -> "The service was not running. Processes that it had left behind were ended.";
        };
    }
}
