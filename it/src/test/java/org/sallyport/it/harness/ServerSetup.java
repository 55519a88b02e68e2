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
 * The parameters of a server start. Immutable.
 *
 * @param name prefix of the name of its log
 * @param serverDirectory directory with the server's files
 * @param dataDirectory its data directory
 * @param javaProgram program that runs it
 * @param settings system properties
 * @param environment variables in addition to those of this process; variables of this process named {@code
 *     SALLYPORT_…} are not passed on
 * @param quickStart whether it starts faster, with {@link #QUICK_START_OPTION}, and computes more slowly
 */
public record ServerSetup(
        String name,
        Path serverDirectory,
        Path dataDirectory,
        String host,
        int port,
        Path javaProgram,
        Map<String, String> settings,
        Map<String, String> environment,
        boolean quickStart) {
    /** Java option for servers that live for about a minute: full optimization would take longer. */
    public static final String QUICK_START_OPTION = "-XX:TieredStopAtLevel=1";

    public ServerSetup {
        settings = Map.copyOf(settings);
        environment = Map.copyOf(environment);
    }

    /** A server on a free port whose data directory does not exist yet. */
    public static ServerSetup create(String name) {
        return new ServerSetup(
                name,
                CheckoutPaths.serverDirectory(),
                temporaryDirectory().resolve("data"),
                "127.0.0.1",
                freePort(),
                Path.of(System.getProperty("java.home"), "bin", "java"),
                Map.of(),
                Map.of(),
                true);
    }

    /** A copy with a setting, named as on the configuration page. */
    public ServerSetup with(String setting, String value) {
        Map<String, String> more = new LinkedHashMap<>(settings);
        more.put(setting, value);
        return new ServerSetup(
                name, serverDirectory, dataDirectory, host, port, javaProgram, more, environment, quickStart);
    }

    /** A copy with an environment variable. */
    public ServerSetup withEnvironment(String variable, String value) {
        Map<String, String> more = new LinkedHashMap<>(environment);
        more.put(variable, value);
        return new ServerSetup(
                name, serverDirectory, dataDirectory, host, port, javaProgram, settings, more, quickStart);
    }

    /** A copy that starts from another directory than that of the build. */
    public ServerSetup withServerDirectory(Path otherLayout) {
        return new ServerSetup(
                name, otherLayout, dataDirectory, host, port, javaProgram, settings, environment, quickStart);
    }

    /** A copy that runs with another program, which accepts the options of Java. */
    public ServerSetup withJavaProgram(Path program) {
        return new ServerSetup(
                name, serverDirectory, dataDirectory, host, port, program, settings, environment, quickStart);
    }

    /** A copy that starts with exactly the options of the shipped command, for servers that live longer. */
    public ServerSetup withShippedOptions() {
        return new ServerSetup(
                name, serverDirectory, dataDirectory, host, port, javaProgram, settings, environment, false);
    }

    /** A copy that listens on another address. */
    public ServerSetup withHost(String address) {
        return new ServerSetup(
                name, serverDirectory, dataDirectory, address, port, javaProgram, settings, environment, quickStart);
    }

    /**
     * Starts the server and waits until it is ready. Throws {@link AssertionError} with the end of its log if it does
     * not become ready in time.
     */
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

    /** Starts the server and does not wait until it is ready. */
    public SallyportServer launch() {
        SallyportServer server = new SallyportServer(this);
        RunningServerRegistry.add(server);
        server.startProcess();
        return server;
    }

    ServerSettings commandSettings() {
        List<String> options = new ArrayList<>(quickStart ? List.of(QUICK_START_OPTION) : List.of());
        settings.entrySet().stream()
                .map(setting -> "-D" + setting.getKey() + "=" + setting.getValue())
                .sorted()
                .forEach(options::add);
        return new ServerSettings(serverDirectory, dataDirectory, host, port, javaProgram.toString(), options);
    }

    /** Creates an empty temporary directory. */
    public static Path temporaryDirectory() {
        try {
            return Files.createTempDirectory("sallyport-it-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A port that is free now and that no concurrent test gets. */
    public static int freePort() {
        return PortAllocator.allocate();
    }
}
