package org.sallyport.cli;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.sallyport.cli.api.HttpClientFactory;
import org.sallyport.cli.local.ServerSettings;
import org.sallyport.tls.ClientTls;
import org.sallyport.tls.TlsConfigurationException;

/**
 * Environment of the process: variables, directories, the {@code java} program and standard input.
 *
 * @param home the checkout or installation that contains the launcher
 * @param directory the working directory; relative file names start here
 */
record CliEnvironment(
        Map<String, String> variables, Path home, Path directory, String java, InputStream standardInput) {
    private static final int DEFAULT_PORT = 8080;

    CliEnvironment {
        variables = Map.copyOf(variables);
    }

    static CliEnvironment ofProcess() {
        Path directory = Path.of("").toAbsolutePath();
        String home = System.getProperty("sallyport.home", directory.toString());
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new CliEnvironment(System.getenv(), Path.of(home), directory, java, System.in);
    }

    /** Returns the stripped value of a variable; empty if it is missing or blank. */
    Optional<String> variable(String name) {
        return Optional.ofNullable(variables.get(name)).map(String::strip).filter(value -> !value.isEmpty());
    }

    /** Resolves a file name from the user against the working directory. */
    Path resolveFile(String name) {
        return directory.resolve(name);
    }

    /**
     * Returns the settings of the service on this machine. Throws {@link CommandException} if the variables for its
     * address are invalid.
     */
    ServerSettings serverSettings() {
        Path data = variable("SALLYPORT_DATA").map(directory::resolve).orElseGet(() -> home.resolve("data"));
        Path layout = variable("SALLYPORT_SERVER")
                .map(directory::resolve)
                .orElseGet(() -> home.resolve("web").resolve("target").resolve("server"));
        List<String> options = new ArrayList<>();
        variable("SALLYPORT_TLS_MODE").ifPresent(mode -> options.add(ServerSettings.TLS_MODE + mode));
        variable("SALLYPORT_LOG_FORMAT").ifPresent(format -> options.add(ServerSettings.LOG_FORMAT + format));
        // Last, because these options take precedence over the variables above, as in the service.
        variable("SALLYPORT_JAVA_OPTS").ifPresent(value -> options.addAll(Arrays.asList(value.split("\\s+"))));
        return new ServerSettings(layout, data, host(), port(), java, options);
    }

    /** Returns the value of a setting of the service on this machine, if an option or a variable sets it. */
    Optional<String> serverSetting(String name) {
        return serverSettings()
                .lastValue("-D" + name + "=")
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .or(() -> variable(name.replaceAll("[.-]", "_").toUpperCase(Locale.ROOT)));
    }

    /**
     * Returns the factory of HTTP clients, with the TLS settings from the variables. Throws {@link CommandException} if
     * these are invalid.
     */
    HttpClientFactory httpClientFactory() {
        ClientTls tls = new ClientTls(
                variable(ClientTls.AUTHORITIES).map(directory::resolve),
                variable(ClientTls.CERTIFICATE).map(directory::resolve),
                variable(ClientTls.KEY).map(directory::resolve));
        try {
            return tls.isEmpty() ? new HttpClientFactory() : new HttpClientFactory(Optional.of(tls.context()));
        } catch (TlsConfigurationException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /** Returns whether a variable selects the address of the local service. */
    boolean choosesAddress() {
        return variable("SALLYPORT_PORT").isPresent()
                || variable("SALLYPORT_HOST").isPresent();
    }

    /** Returns whether a variable selects a service, which may be the local one. */
    boolean choosesService() {
        return choosesAddress()
                || variable("SALLYPORT_URL").isPresent()
                || variable("SALLYPORT_PROFILE").isPresent()
                || variable("SALLYPORT_DATA").isPresent();
    }

    private String host() {
        String host = variable("SALLYPORT_HOST").orElse("127.0.0.1");
        if (!host.matches("[0-9A-Za-z.:_-]+")) {
            throw new CommandException(ExitCode.USAGE, "SALLYPORT_HOST is '" + host + "', which is not an address.");
        }
        return host;
    }

    private int port() {
        String port = variable("SALLYPORT_PORT").orElse(Integer.toString(DEFAULT_PORT));
        if (port.matches("\\d{1,5}") && Integer.parseInt(port) >= 1 && Integer.parseInt(port) <= 65535) {
            return Integer.parseInt(port);
        }
        throw new CommandException(
                ExitCode.USAGE, "SALLYPORT_PORT is '" + port + "', which is not a port (1 to 65535).");
    }
}
