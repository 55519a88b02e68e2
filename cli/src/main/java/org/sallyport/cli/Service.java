package org.sallyport.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.local.LocalServer;
import org.sallyport.cli.local.Readiness;
import org.sallyport.cli.local.ServerCommand;
import org.sallyport.cli.local.ServerRecord;
import org.sallyport.cli.local.ServerSettings;
import org.sallyport.cli.local.StartException;
import org.sallyport.cli.terminal.Terminal;

/** Which service the commands talk to: the one that was named, else the one of this machine, started where needed. */
final class Service {
    static final Duration START = Duration.ofMinutes(3);

    private final Surroundings surroundings;
    private final Terminal terminal;
    private final Target target;

    Service(Surroundings surroundings, Terminal terminal, Target target) {
        this.surroundings = surroundings;
        this.terminal = terminal;
        this.target = target;
    }

    /** The address of the service. */
    URI url() {
        if (target.url().isPresent()) {
            return parsed(target.url().get());
        }
        ServerSettings settings = surroundings.serverSettings();
        if (surroundings.choosesAddress()) {
            // One that runs there may have been started with TLS from elsewhere.
            return running()
                    .map(ServerRecord::url)
                    .filter(there -> there.getAuthority().equals(settings.url().getAuthority()))
                    .orElse(settings.url());
        }
        // A service that was started on another port is found without naming the port again.
        return running().map(ServerRecord::url).orElse(settings.url());
    }

    /** A client of the service. */
    SallyportApi api() {
        URI url = url();
        return new SallyportApi(surroundings.connections(), url, key(url));
    }

    /** A client of a service that answers: the local one is started if nobody does. */
    SallyportApi startedApi() {
        if (target.url().isEmpty() && readiness().of(url(), Optional.empty()).status() != Readiness.Status.READY) {
            up();
        }
        return api();
    }

    LocalServer local() {
        ServerSettings settings = surroundings.serverSettings();
        return new LocalServer(
                settings, ServerCommand.of(settings), () -> ServerCommand.prepare(settings), terminal, readiness());
    }

    /** Asks services whether they are ready. */
    Readiness readiness() {
        return new Readiness(surroundings.connections());
    }

    Optional<ServerRecord> running() {
        try {
            return local().running();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** Has the local service running. */
    LocalServer.Started up() {
        ServerSettings settings = surroundings.serverSettings();
        List<Path> missing = ServerCommand.missing(settings);
        if (running().isEmpty() && !missing.isEmpty()) {
            throw new CommandFailure(
                    Exit.UNREACHABLE,
                    "The service has not been built: " + missing.get(0) + " is missing.",
                    "Build it: ./mvnw -DskipTests package (or use the launcher ./sallyport, which does)");
        }
        try {
            LocalServer.Started started = local().up(START);
            if (started.fresh()) {
                terminal.note("Service ready at " + started.server().url() + " (pid "
                        + started.server().pid() + ").");
            }
            return started;
        } catch (StartException e) {
            throw new CommandFailure(Exit.UNREACHABLE, String.valueOf(e.getMessage()), e.advice());
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** The key to send to an address. The administrator's key of this machine is sent to this machine only. */
    Optional<String> key(URI url) {
        return target.key().isPresent() || !loopback(url)
                ? target.key()
                : surroundings.serverSettings().key();
    }

    /** Where the key would be looked for, for messages. */
    String keyAdvice() {
        return "Give a key by SALLYPORT_KEY, --key-file or a profile; the first start of a local service writes one to "
                + surroundings.serverSettings().keyFile() + ".";
    }

    /** What to do when nobody answers. */
    String startAdvice() {
        return target.url().isPresent()
                ? "Check SALLYPORT_URL, --url or the profile, and that the service runs."
                : "Start it: sallyport up. See whether it runs: sallyport status. Why it does not: sallyport logs.";
    }

    private CommandFailure unreadable(IOException e) {
        return new CommandFailure(
                Exit.UNREACHABLE,
                "The data directory " + surroundings.serverSettings().data() + " cannot be used: " + e.getMessage(),
                "Another one can be chosen by SALLYPORT_DATA.");
    }

    /** The address of a service, or a {@link CommandFailure}. */
    static URI parsed(String text) {
        try {
            URI url = URI.create(text);
            if (url.getHost() != null && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))) {
                return url;
            }
        } catch (IllegalArgumentException e) {
            throw notAnAddress(text);
        }
        throw notAnAddress(text);
    }

    private static CommandFailure notAnAddress(String text) {
        return new CommandFailure(
                Exit.USAGE, "'" + text + "' is not the address of a service.", "Write it as http://127.0.0.1:8080");
    }

    private static boolean loopback(URI url) {
        try {
            return InetAddress.getByName(url.getHost()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
