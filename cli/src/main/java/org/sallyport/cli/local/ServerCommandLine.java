package org.sallyport.cli.local;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.sallyport.tls.TlsMode;

/**
 * The command line of the service: the one place that knows it. Everything that starts the service as users do asks here.
 */
public final class ServerCommandLine {
    /** The class files of Payara Micro, unpacked by the build. */
    static final String PLATFORM_DIRECTORY = "platform";

    static final String PLATFORM_JAR = PLATFORM_DIRECTORY + "/launch-micro.jar";
    /** Options of the Java VM that Payara Micro needs, for {@code java @FILE}. */
    static final String JAVA_OPTIONS_FILE = "java.txt";

    static final String BROKER_ARCHIVE = "artemis.rar";
    static final String APPLICATION_ARCHIVE = "sallyport.war";
    static final String PREBOOT_FILE = "preboot.txt";
    static final String POSTBOOT_FILE = "postboot.txt";
    /** Used where the layout has it. */
    static final String LOGGING_FILE = "logging.properties";
    /** In starting.jar; the last line of a file of properties counts. */
    private static final String JSON_FORMATTER_PROPERTY =
            "java.util.logging.ConsoleHandler.formatter=org.sallyport.logging.JsonFormatter\n";

    /** Gives certificates to the listener, where there is TLS. */
    static final String TLS_AGENT_JAR = "tls.jar";

    /** Holds the main class. */
    static final String MAIN_JAR = "starting.jar";

    private static final String MAIN_CLASS = "org.sallyport.starting.ServerMain";
    /** Commands by which the server's own listener waits until the application is there, and then begins. */
    static final String STARTING_FILE = "starting.txt";

    static final String STARTED_FILE = "started.txt";

    /** Class files of workers, prepared by the build. Used where the layout has it. */
    private static final String WORKERS_DIRECTORY = "workers";

    private static final String SET_ADDRESS_COMMAND =
            "set configs.config.server-config.network-config.network-listeners.network-listener.http-listener.address=";

    private ServerCommandLine() {}

    /** Program and arguments, for a working directory of {@link ServerSettings#dataDirectory()}. */
    public static List<String> build(ServerSettings settings) {
        Path layout = settings.layout().toAbsolutePath().normalize();
        List<String> command = new ArrayList<>(List.of(
                settings.java(),
                "-Xms256m",
                // What a start loads anyway: without it the heap is collected whole each time the first limit is met.
                "-XX:MetaspaceSize=128m",
                "-Xmx768m",
                // Without memory an embedded database closes itself for good; the next process continues from the
                // journal.
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+UseSerialGC",
                // Ten times the usual counts before C2 compiles a method, and no profiling while C2 is busy. During a
                // start, C2 otherwise takes as much time as all the rest: docs/decisions/059.
                "-XX:Tier4InvocationThreshold=50000",
                "-XX:Tier4MinInvocationThreshold=6000",
                "-XX:Tier4CompileThreshold=150000",
                "-XX:Tier4BackEdgeThreshold=400000",
                "-XX:Tier3DelayOn=0",
                "-Djava.awt.headless=true",
                "-Duser.timezone=UTC",
                "-Dfile.encoding=UTF-8",
                processMarker(settings),
                "-Dsallyport.host=" + settings.host(),
                "-Dsallyport.port=" + settings.port()));
        if (Files.isDirectory(layout.resolve(WORKERS_DIRECTORY))) {
            command.add("-Dsallyport.sandbox.prepared=" + layout.resolve(WORKERS_DIRECTORY));
        }
        command.addAll(settings.javaOptions());
        if (!isInsecure(settings)) {
            command.add("-javaagent:" + layout.resolve(TLS_AGENT_JAR));
        }
        if (settings.tlsMode().equals(TlsMode.MTLS.text())) {
            // Else the server would promise a session that clients keep themselves, and tls.jar lets none be kept.
            command.add("-Djdk.tls.server.enableSessionTicketExtension=false");
        }
        command.add("@" + layout.resolve(JAVA_OPTIONS_FILE));
        command.addAll(List.of(
                "-cp",
                layout.resolve(MAIN_JAR) + File.pathSeparator + layout.resolve(PLATFORM_JAR),
                MAIN_CLASS,
                isInsecure(settings) ? "answer" : "check",
                settings.host(),
                Integer.toString(settings.port()),
                layout.resolve(PLATFORM_DIRECTORY).toString(),
                settings.dataDirectory().resolve("run").resolve("payara").toString()));
        // Without the first, Hazelcast listens on every address of the machine.
        command.addAll(List.of("--nohazelcast", "--disablephonehome"));
        command.addAll(List.of("--port", Integer.toString(settings.port())));
        if (Files.isRegularFile(layout.resolve(LOGGING_FILE))) {
            Path logging = settings.logsJson() ? preparedFile(settings, LOGGING_FILE) : layout.resolve(LOGGING_FILE);
            command.addAll(List.of("--logproperties", logging.toString()));
        }
        command.addAll(List.of(
                "--prebootcommandfile", preparedFile(settings, PREBOOT_FILE).toString()));
        command.addAll(
                List.of("--postbootcommandfile", layout.resolve(POSTBOOT_FILE).toString()));
        command.addAll(
                List.of("--postdeploycommandfile", layout.resolve(STARTED_FILE).toString()));
        // The broker first: the application's listeners look for it while they are deployed.
        command.addAll(List.of("--deploy", layout.resolve(BROKER_ARCHIVE).toString()));
        command.addAll(List.of("--deploy", layout.resolve(APPLICATION_ARCHIVE).toString()));
        command.addAll(List.of("--contextroot", "/"));
        return command;
    }

    /**
     * Writes what the command line refers to and the layout does not hold: the address, TLS and a listener that waits are no options
     * of Payara Micro, only commands before its boot; and how the log is written stands in one file with what is logged.
     */
    public static void writeFiles(ServerSettings settings) throws IOException {
        List<String> parts = new ArrayList<>(List.of(PREBOOT_FILE, STARTING_FILE));
        if (!isInsecure(settings)) {
            parts.add(settings.tlsMode() + ".txt");
        }
        StringBuilder commands = new StringBuilder();
        for (String part : parts) {
            commands.append(Files.readString(settings.layout().resolve(part))).append('\n');
        }
        commands.append(SET_ADDRESS_COMMAND).append(settings.host()).append('\n');
        DataDirectory.createPrivately(settings.dataDirectory());
        write(preparedFile(settings, PREBOOT_FILE), commands.toString());
        Path logging = settings.layout().resolve(LOGGING_FILE);
        if (settings.logsJson() && Files.isRegularFile(logging)) {
            write(preparedFile(settings, LOGGING_FILE), Files.readString(logging) + "\n" + JSON_FORMATTER_PROPERTY);
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path directory = Files.createDirectories(file.resolve("..").normalize());
        Path whole = Files.createTempFile(directory, "prepared", ".tmp");
        Files.writeString(whole, text);
        // Atomic: a concurrent reader gets the complete old file or the complete new one.
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isInsecure(ServerSettings settings) {
        return settings.tlsMode().equals(TlsMode.INSECURE.text());
    }

    private static Path preparedFile(ServerSettings settings, String file) {
        return settings.dataDirectory().resolve("run").resolve(file);
    }

    /** Files that must exist before the command can run, those that do not. */
    public static List<Path> missingFiles(ServerSettings settings) {
        Stream<String> tls =
                isInsecure(settings) ? Stream.empty() : Stream.of(TLS_AGENT_JAR, settings.tlsMode() + ".txt");
        return Stream.concat(
                        Stream.of(
                                PLATFORM_JAR,
                                JAVA_OPTIONS_FILE,
                                BROKER_ARCHIVE,
                                APPLICATION_ARCHIVE,
                                MAIN_JAR,
                                PREBOOT_FILE,
                                STARTING_FILE,
                                POSTBOOT_FILE,
                                STARTED_FILE),
                        tls)
                .map(settings.layout()::resolve)
                .filter(file -> !Files.isRegularFile(file))
                .toList();
    }

    /** Whether a line of the log says that the server has dealt with everything it was to deploy, well or not. */
    static boolean isDeploymentDone(String line) {
        return line.contains("Payara Micro") && line.contains(" ready in ");
    }

    /** The argument by which a process is known to serve this data directory. */
    static String processMarker(ServerSettings settings) {
        return "-Dsallyport.data=" + settings.dataDirectory();
    }
}
