package org.sallyport.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.local.LocalServer;
import org.sallyport.cli.local.ReadinessProbe;
import org.sallyport.cli.local.ServerCommandLine;
import org.sallyport.cli.local.ServerProcessRecord;
import org.sallyport.cli.local.ServerSettings;
import org.sallyport.cli.local.ServerStartException;
import org.sallyport.cli.terminal.Terminal;

/** Locates the service for the commands: the selected one, else the local one, which it starts where necessary. */
final class ServiceLocator {
    static final Duration START_TIMEOUT = Duration.ofMinutes(3);

    private final CliEnvironment environment;
    private final Terminal terminal;
    private final ServiceTarget target;

    ServiceLocator(CliEnvironment surroundings, Terminal terminal, ServiceTarget target) {
        this.environment = surroundings;
        this.terminal = terminal;
        this.target = target;
    }

    /** Returns the address of the service. */
    URI url() {
        if (target.url().isPresent()) {
            return parseUrl(target.url().get());
        }
        ServerSettings settings = environment.serverSettings();
        if (environment.choosesAddress()) {
            // A running service may have been started with TLS from another environment.
            return findRunning()
                    .map(ServerProcessRecord::url)
                    .filter(there -> there.getAuthority().equals(settings.url().getAuthority()))
                    .orElse(settings.url());
        }
        // Finds a service that was started on another port, without a repeated option.
        return findRunning().map(ServerProcessRecord::url).orElse(settings.url());
    }

    /** Returns a client of the service. */
    SallyportApiClient api() {
        URI url = url();
        return new SallyportApiClient(environment.httpClientFactory(), url, keyFor(url));
    }

    /** Returns a client of a service that answers. Starts the local one if it does not answer. */
    SallyportApiClient startedApi() {
        if (target.url().isEmpty()
                && readinessProbe().check(url(), Optional.empty()).status() != ReadinessProbe.ReadinessStatus.READY) {
            startLocal();
        }
        return api();
    }

    LocalServer localServer() {
        ServerSettings settings = environment.serverSettings();
        return new LocalServer(
                settings,
                ServerCommandLine.build(settings),
                () -> ServerCommandLine.writeFiles(settings),
                terminal,
                readinessProbe());
    }

    /** Returns a probe for the readiness of services. */
    ReadinessProbe readinessProbe() {
        return new ReadinessProbe(environment.httpClientFactory());
    }

    Optional<ServerProcessRecord> findRunning() {
        try {
            return localServer().findRunning();
        } catch (IOException e) {
            throw unusableDataDirectory(e);
        }
    }

    /** Ensures that the local service runs. */
    LocalServer.ServerStartResult startLocal() {
        ServerSettings settings = environment.serverSettings();
        List<Path> missing = ServerCommandLine.missingFiles(settings);
        if (findRunning().isEmpty() && !missing.isEmpty()) {
            throw new CommandException(
                    ExitCode.UNREACHABLE,
                    "The service has not been built: " + missing.get(0) + " is missing.",
                    "Build it: ./mvnw -DskipTests package (or use the launcher ./sallyport, which does)");
        }
        try {
            LocalServer.ServerStartResult started = localServer().start(START_TIMEOUT);
            if (started.newlyStarted()) {
                terminal.printNote("Service ready at " + started.server().url() + " (pid "
                        + started.server().pid() + ").");
            }
            return started;
        } catch (ServerStartException e) {
            throw new CommandException(ExitCode.UNREACHABLE, String.valueOf(e.getMessage()), e.advice());
        } catch (IOException e) {
            throw unusableDataDirectory(e);
        }
    }

    /**
     * Returns the key for an address. The administrator's key of this machine is sent only to the local service: to an
     * address where its process listens.
     */
    Optional<String> keyFor(URI url) {
        if (target.key().isPresent() || !isLoopback(url)) {
            return target.key();
        }
        try {
            return localServer().keyFor(url);
        } catch (IOException e) {
            // The data directory of another user.
            return Optional.empty();
        }
    }

    /** Returns advice for a rejected or missing key. */
    String keyAdvice() {
        return "Set a key with SALLYPORT_KEY, --key-file or a profile. The first start of a local service writes one"
                + " to " + environment.serverSettings().keyFile()
                + "; the command uses it only for the service that 'sallyport up' started there.";
    }

    /** Returns advice for a service that does not respond. */
    String startAdvice() {
        return target.url().isPresent()
                ? "Check SALLYPORT_URL, --url or the profile, and that the service runs."
                : "Start it: sallyport up. Its state: sallyport status. Its log: sallyport logs.";
    }

    private CommandException unusableDataDirectory(IOException e) {
        return new CommandException(
                ExitCode.UNREACHABLE,
                "The data directory " + environment.serverSettings().dataDirectory() + " cannot be used: "
                        + e.getMessage(),
                "Choose another one with SALLYPORT_DATA.");
    }

    /** Parses the address of a service. Throws {@link CommandException} when it is invalid. */
    static URI parseUrl(String text) {
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

    private static CommandException notAnAddress(String text) {
        return new CommandException(
                ExitCode.USAGE, "'" + text + "' is not the address of a service.", "Write it as http://127.0.0.1:8080");
    }

    private static boolean isLoopback(URI url) {
        try {
            return InetAddress.getByName(url.getHost()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
