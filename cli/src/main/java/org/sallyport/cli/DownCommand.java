package org.sallyport.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.local.LocalServer.Stopped;
import org.sallyport.cli.terminal.Durations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code down}: ends the service of this machine. */
@Command(name = "down", description = "Stops the service on this machine. What it stored stays.")
final class DownCommand implements Callable<Integer> {
    private final Sallyport sallyport;

    @Option(names = "--grace", paramLabel = "TIME", description = "How long it may take to end by itself (30s).")
    private String grace = "30s";

    DownCommand(Sallyport sallyport) {
        this.sallyport = sallyport;
    }

    @Override
    public Integer call() {
        Stopped stopped;
        sallyport.terminal().progress("Stopping the service ...");
        try {
            stopped = sallyport.service().local().down(grace());
        } catch (IOException e) {
            throw new CommandFailure(Exit.FAILED, "The service could not be stopped: " + e.getMessage());
        }
        if (sallyport.json()) {
            sallyport.answer(Json.object().put("stopped", stopped.name().toLowerCase(Locale.ROOT)));
        } else {
            sallyport.terminal().note(sentence(stopped));
        }
        return Exit.COMPLETED.code();
    }

    private Duration grace() {
        try {
            return Durations.parsed(grace);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Exit.USAGE, "--grace: " + e.getMessage() + ".");
        }
    }

    private static String sentence(Stopped stopped) {
        return switch (stopped) {
            case WAS_NOT_RUNNING -> "The service was not running.";
            case ENDED -> "The service has stopped.";
            case KILLED -> "The service did not stop in time and was killed.";
            case LEFTOVERS_ENDED -> "The service was gone; processes that it had left behind were ended.";
        };
    }
}
