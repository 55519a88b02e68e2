package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sallyport.cli.local.ServerSettings;

/**
 * What a server is to be started with. Immutable.
 *
 * @param name begins the name of its log
 * @param serverDirectory what it is started from
 * @param dataDirectory its data directory
 * @param javaProgram what runs it
 * @param settings system properties
 * @param environment variables besides those of this process; those named {@code SALLYPORT_…} are not passed on
 */
public record ServerSetup(
        String name,
        Path serverDirectory,
        Path dataDirectory,
        String host,
        int port,
        Path javaProgram,
        Map<String, String> settings,
        Map<String, String> environment) {
    /** An option of Java for servers that live for a minute: compiling thoroughly would take longer. */
    public static final String QUICK_START_OPTION = "-XX:TieredStopAtLevel=1";

    public ServerSetup {
        settings = Map.copyOf(settings);
        environment = Map.copyOf(environment);
    }

    /** A server on a free port whose data directory is not there yet. */
    public static ServerSetup create(String name) {
        return new ServerSetup(
                name,
                CheckoutPaths.serverDirectory(),
                temporaryDirectory().resolve("data"),
                "127.0.0.1",
                freePort(),
                Path.of(System.getProperty("java.home"), "bin", "java"),
                Map.of(),
                Map.of());
    }

    /** With a setting, by the name that the configuration page has. */
    public ServerSetup with(String setting, String value) {
        Map<String, String> more = new LinkedHashMap<>(settings);
        more.put(setting, value);
        return new ServerSetup(name, serverDirectory, dataDirectory, host, port, javaProgram, more, environment);
    }

    /** With an environment variable. */
    public ServerSetup withEnvironment(String variable, String value) {
        Map<String, String> more = new LinkedHashMap<>(environment);
        more.put(variable, value);
        return new ServerSetup(name, serverDirectory, dataDirectory, host, port, javaProgram, settings, more);
    }

    /** To be started from another directory than that of the build. */
    public ServerSetup withServerDirectory(Path otherLayout) {
        return new ServerSetup(name, otherLayout, dataDirectory, host, port, javaProgram, settings, environment);
    }

    /** To be run by another program, which takes what Java takes. */
    public ServerSetup withJavaProgram(Path program) {
        return new ServerSetup(name, serverDirectory, dataDirectory, host, port, program, settings, environment);
    }

    /** To listen on another address. */
    public ServerSetup withHost(String address) {
        return new ServerSetup(name, serverDirectory, dataDirectory, address, port, javaProgram, settings, environment);
    }

    /** Starts it and waits until it is ready; {@link AssertionError} with the end of its log when it does not get there. */
    public SallyportServer start() {
        SallyportServer server = launch();
        try {
            server.awaitReady();
        } catch (AssertionError e) {
            server.terminate();
            throw e;
        }
        return server;
    }

    /** Starts it. */
    public SallyportServer launch() {
        SallyportServer server = new SallyportServer(this);
        RunningServerRegistry.add(server);
        server.startProcess();
        return server;
    }

    ServerSettings commandSettings() {
        List<String> options = new ArrayList<>(List.of(QUICK_START_OPTION));
        settings.entrySet().stream()
                .map(setting -> "-D" + setting.getKey() + "=" + setting.getValue())
                .sorted()
                .forEach(options::add);
        return new ServerSettings(serverDirectory, dataDirectory, host, port, javaProgram.toString(), options);
    }

    /** An empty directory of its own. */
    public static Path temporaryDirectory() {
        try {
            return Files.createTempDirectory("sallyport-it-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A port that nobody listens on now, and that no test beside this one is given. */
    public static int freePort() {
        return PortAllocator.allocate();
    }
}
