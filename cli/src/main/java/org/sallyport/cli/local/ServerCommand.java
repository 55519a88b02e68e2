package org.sallyport.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.sallyport.tls.TlsMode;

/**
 * The command line of the service: the one place that knows it. Everything that starts the service as users do asks here.
 */
public final class ServerCommand {
    static final String PAYARA = "payara-micro.jar";
    static final String BROKER = "artemis.rar";
    static final String APPLICATION = "sallyport.war";
    static final String BEFORE_BOOT = "preboot.txt";
    static final String AFTER_BOOT = "postboot.txt";
    /** Used where the layout has it. */
    static final String LOGGING = "logging.properties";

    /** Gives certificates to the listener, where there is TLS. */
    static final String AGENT = "tls.jar";

    private static final String LISTEN =
            "set configs.config.server-config.network-config.network-listeners.network-listener.http-listener.address=";

    private ServerCommand() {}

    /** Program and arguments, for a working directory of {@link ServerSettings#data()}. */
    public static List<String> of(ServerSettings settings) {
        Path layout = settings.layout().toAbsolutePath().normalize();
        List<String> command = new ArrayList<>(List.of(
                settings.java(),
                "-Xms256m",
                // What a start loads anyway: without it the heap is collected whole each time the first limit is met.
                "-XX:MetaspaceSize=128m",
                "-Xmx768m",
                // Without memory an embedded database closes itself for good: what is journaled goes on in the next
                // process.
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+UseSerialGC",
                "-Djava.awt.headless=true",
                "-Duser.timezone=UTC",
                "-Dfile.encoding=UTF-8",
                mark(settings),
                "-Dsallyport.host=" + settings.host(),
                "-Dsallyport.port=" + settings.port()));
        command.addAll(settings.javaOptions());
        if (!isInsecure(settings)) {
            command.add("-javaagent:" + layout.resolve(AGENT));
        }
        if (settings.tls().equals(TlsMode.MTLS.text())) {
            // Else the server would promise a session that clients keep themselves, and tls.jar lets none be kept.
            command.add("-Djdk.tls.server.enableSessionTicketExtension=false");
        }
        command.addAll(List.of("-jar", layout.resolve(PAYARA).toString()));
        // Without the first, Hazelcast listens on every address of the machine.
        command.addAll(List.of("--nohazelcast", "--disablephonehome"));
        command.addAll(List.of("--port", Integer.toString(settings.port())));
        if (Files.isRegularFile(layout.resolve(LOGGING))) {
            command.addAll(List.of("--logproperties", layout.resolve(LOGGING).toString()));
        }
        command.addAll(List.of("--prebootcommandfile", beforeBoot(settings).toString()));
        command.addAll(
                List.of("--postbootcommandfile", layout.resolve(AFTER_BOOT).toString()));
        // The broker first: the application's listeners look for it while they are deployed.
        command.addAll(List.of("--deploy", layout.resolve(BROKER).toString()));
        command.addAll(List.of("--deploy", layout.resolve(APPLICATION).toString()));
        command.addAll(List.of("--contextroot", "/"));
        return command;
    }

    /**
     * Writes what the command line refers to and the layout does not hold: an address other than loopback and TLS are no options
     * of Payara Micro, only commands before its boot.
     */
    public static void prepare(ServerSettings settings) throws IOException {
        Path file = beforeBoot(settings);
        if (!file.startsWith(settings.data())) {
            return;
        }
        Path original = settings.layout().resolve(BEFORE_BOOT);
        Files.createDirectories(settings.data().resolve("run"));
        String tls =
                isInsecure(settings) ? "" : Files.readString(settings.layout().resolve(settings.tls() + ".txt")) + "\n";
        Files.writeString(file, Files.readString(original) + "\n" + tls + LISTEN + settings.host() + "\n");
    }

    private static boolean isInsecure(ServerSettings settings) {
        return settings.tls().equals(TlsMode.INSECURE.text());
    }

    private static Path beforeBoot(ServerSettings settings) {
        return settings.host().equals("127.0.0.1") && isInsecure(settings)
                ? settings.layout().toAbsolutePath().normalize().resolve(BEFORE_BOOT)
                : settings.data().resolve("run").resolve(BEFORE_BOOT);
    }

    /** Files that must exist before the command can run, those that do not. */
    public static List<Path> missing(ServerSettings settings) {
        Stream<String> tls = isInsecure(settings) ? Stream.empty() : Stream.of(AGENT, settings.tls() + ".txt");
        return Stream.concat(Stream.of(PAYARA, BROKER, APPLICATION, BEFORE_BOOT, AFTER_BOOT), tls)
                .map(settings.layout()::resolve)
                .filter(file -> !Files.isRegularFile(file))
                .toList();
    }

    /** Whether a line of the log says that the server has dealt with everything it was to deploy, well or not. */
    static boolean saysThatAllIsDeployed(String line) {
        return line.contains("Payara Micro") && line.contains(" ready in ");
    }

    /** The argument by which a process is known to serve this data directory. */
    static String mark(ServerSettings settings) {
        return "-Dsallyport.data=" + settings.data();
    }
}
