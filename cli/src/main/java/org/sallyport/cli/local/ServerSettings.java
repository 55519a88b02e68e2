package org.sallyport.cli.local;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.sallyport.tls.TlsMode;

/**
 * What a service on this machine is started with.
 *
 * @param layout directory that holds the archives and command files of the server
 * @param dataDirectory directory that everything lasting goes to; absolute
 * @param java the {@code java} program
 * @param javaOptions options for the Java VM that the user added
 */
public record ServerSettings(
        Path layout, Path dataDirectory, String host, int port, String java, List<String> javaOptions) {
    /** Sets the mode of TLS as an option of the Java VM: the last counts. */
    public static final String TLS_MODE = "-Dsallyport.tls.mode=";

    /** Sets how the log is written, likewise: {@code text} or {@code json}. */
    public static final String LOG_FORMAT = "-Dsallyport.log.format=";

    private static final String INSECURE = TlsMode.INSECURE.text();

    public ServerSettings {
        dataDirectory = dataDirectory.toAbsolutePath().normalize();
        javaOptions = List.copyOf(javaOptions);
    }

    /** Where the service answers callers on this machine. */
    public URI url() {
        String name = switch (host) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::", "[::]" -> "[::1]";
            default -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        };
        return URI.create((tlsMode().equals(INSECURE) ? "http://" : "https://") + name + ":" + port);
    }

    /** How the service speaks to callers: {@code insecure}, {@code tls} or {@code mtls}; the service says what else cannot be. */
    String tlsMode() {
        return lastValue(TLS_MODE).filter(mode -> TlsMode.of(mode).isPresent()).orElse(INSECURE);
    }

    /** Whether each record of the log is an object of JSON; the service says what else cannot be. */
    boolean logsJson() {
        return lastValue(LOG_FORMAT).filter("json"::equals).isPresent();
    }

    private Optional<String> lastValue(String option) {
        return javaOptions.stream()
                .filter(each -> each.startsWith(option))
                .reduce((first, last) -> last)
                .map(each -> each.substring(option.length()));
    }

    /** What the service prints. */
    public Path logFile() {
        return dataDirectory.resolve("log").resolve("server.log");
    }

    /** Which process serves this directory. */
    public Path recordFile() {
        return dataDirectory.resolve("server.pid");
    }

    /** The key that the first start wrote, if it can be read. */
    public Optional<String> readKey() {
        try {
            String key = Files.readString(keyFile()).strip();
            return key.isEmpty() ? Optional.empty() : Optional.of(key);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Where the first start writes the key. */
    public Path keyFile() {
        return dataDirectory.resolve("admin.key");
    }
}
