package org.sallyport.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.sallyport.tls.TlsMode;

/**
 * Builds the command line of the service. All starts use this class: commands, benchmarks and integration tests.
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
    /** Optional in the layout. */
    static final String LOGGING_FILE = "logging.properties";
    /** The formatter is in starting.jar. Appended to the file, because the last value of a property applies. */
    private static final String JSON_FORMATTER_PROPERTY =
            "java.util.logging.ConsoleHandler.formatter=org.sallyport.logging.JsonFormatter\n";

    /** Java agent that supplies the listener with certificates. Used with TLS only. */
    static final String TLS_AGENT_JAR = "tls.jar";

    /** Contains the main class. */
    static final String MAIN_JAR = "starting.jar";

    private static final String MAIN_CLASS = "org.sallyport.starting.ServerMain";
    /** Commands that disable the server's own listener before boot, and enable it when the application is deployed. */
    static final String STARTING_FILE = "starting.txt";

    static final String STARTED_FILE = "started.txt";

    /** Directory of class files for worker processes, which the build writes into the layout. May be missing. */
    private static final String WORKERS_DIRECTORY = "workers";

    private static final String SET_ADDRESS_COMMAND =
            "set configs.config.server-config.network-config.network-listeners.network-listener.http-listener.address=";

    private ServerCommandLine() {}

    /** Returns program and arguments, for the working directory {@link ServerSettings#dataDirectory()}. */
    public static List<String> build(ServerSettings settings) {
        Path layout = settings.layout().toAbsolutePath().normalize();
        List<String> command = new ArrayList<>(List.of(
                settings.java(),
                "-Xms256m",
                // A start loads this much anyway. The lower default would cause full collections on the way there.
                "-XX:MetaspaceSize=128m",
                "-Xmx768m",
                // When memory runs out, the embedded database closes itself and stays closed. A new process continues
                // from the journal.
                "-XX:+ExitOnOutOfMemoryError",
                // Every write of a file copies its bytes to a direct buffer. Each thread would keep its largest one for
                // its lifetime, and the sum could be as large as the heap: docs/decisions/086.
                "-XX:MaxDirectMemorySize=256m",
                "-Djdk.nio.maxCachedBufferSize=1048576",
                "-XX:+UseSerialGC",
                // Ten times the default counts before C2 compiles a method, and no profiling while C2 is busy. During a
                // start, C2 otherwise takes as much time as everything else: docs/decisions/059.
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
            // Otherwise the server would issue session tickets, but tls.jar allows no resumption of sessions.
            command.add("-Djdk.tls.server.enableSessionTicketExtension=false");
        }
        command.add("@" + layout.resolve(JAVA_OPTIONS_FILE));
        command.addAll(List.of(
                "-cp",
                layout.resolve(MAIN_JAR).toString(),
                MAIN_CLASS,
                isInsecure(settings) ? "answer" : "check",
                settings.host(),
                Integer.toString(settings.port()),
                layout.resolve(PLATFORM_DIRECTORY).toString(),
                settings.dataDirectory().resolve("run").resolve("payara").toString()));
        // Without --nohazelcast, Hazelcast listens on every address of the machine.
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
        // The broker is deployed first, because the application's listeners look it up during their deployment.
        command.addAll(List.of("--deploy", layout.resolve(BROKER_ARCHIVE).toString()));
        command.addAll(List.of("--deploy", layout.resolve(APPLICATION_ARCHIVE).toString()));
        command.addAll(List.of("--contextroot", "/"));
        return command;
    }

    /**
     * Writes the files that the command line refers to and the layout does not contain. Payara Micro has no options for
     * the address, TLS and the delayed listener, only commands before its boot. The log format is in the same file as
     * the log levels.
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

    /** Returns the files that the command requires and that do not exist. */
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

    /** Returns whether a log line reports the end of all deployments, successful or not. */
    static boolean isDeploymentDone(String line) {
        return line.contains("Payara Micro") && line.contains(" ready in ");
    }

    /** Returns the argument that identifies the process that serves this data directory. */
    static String processMarker(ServerSettings settings) {
        return "-Dsallyport.data=" + settings.dataDirectory();
    }
}
