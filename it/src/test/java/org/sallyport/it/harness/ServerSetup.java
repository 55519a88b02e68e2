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
 * @param layout what it is started from
 * @param data its data directory
 * @param java what runs it
 * @param settings system properties
 * @param environment variables besides those of this process; those named {@code SALLYPORT_…} are not passed on
 */
public record ServerSetup(
        String name,
        Path layout,
        Path data,
        String host,
        int port,
        Path java,
        Map<String, String> settings,
        Map<String, String> environment) {
    /** An option of Java for servers that live for a minute: compiling thoroughly would take longer. */
    public static final String QUICK_START = "-XX:TieredStopAtLevel=1";

    public ServerSetup {
        settings = Map.copyOf(settings);
        environment = Map.copyOf(environment);
    }

    /** A server on a free port whose data directory is not there yet. */
    public static ServerSetup fresh(String name) {
        return new ServerSetup(
                name,
                Checkout.serverDirectory(),
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
        return new ServerSetup(name, layout, data, host, port, java, more, environment);
    }

    /** With an environment variable. */
    public ServerSetup withEnvironment(String variable, String value) {
        Map<String, String> more = new LinkedHashMap<>(environment);
        more.put(variable, value);
        return new ServerSetup(name, layout, data, host, port, java, settings, more);
    }

    /** To be started from another directory than that of the build. */
    public ServerSetup from(Path otherLayout) {
        return new ServerSetup(name, otherLayout, data, host, port, java, settings, environment);
    }

    /** To be run by another program, which takes what Java takes. */
    public ServerSetup startedBy(Path program) {
        return new ServerSetup(name, layout, data, host, port, program, settings, environment);
    }

    /** To listen on another address. */
    public ServerSetup on(String address) {
        return new ServerSetup(name, layout, data, address, port, java, settings, environment);
    }

    /** Starts it and waits until it is ready; {@link AssertionError} with the end of its log when it does not get there. */
    public SallyportServer start() {
        SallyportServer server = launch();
        try {
            server.awaitReady();
        } catch (AssertionError e) {
            server.end();
            throw e;
        }
        return server;
    }

    /** Starts it. */
    public SallyportServer launch() {
        SallyportServer server = new SallyportServer(this);
        RunningServers.add(server);
        server.begin();
        return server;
    }

    ServerSettings commandSettings() {
        List<String> options = new ArrayList<>(List.of(QUICK_START));
        settings.entrySet().stream()
                .map(setting -> "-D" + setting.getKey() + "=" + setting.getValue())
                .sorted()
                .forEach(options::add);
        return new ServerSettings(layout, data, host, port, java.toString(), options);
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
        return FreePorts.next();
    }
}
