package org.sallyport.cli.local;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.sallyport.tls.TlsMode;

/**
 * Settings with which a service on this machine is started.
 *
 * @param layout directory that contains the archives and command files of the server
 * @param dataDirectory directory of all persistent data; absolute
 * @param java the {@code java} program
 * @param javaOptions options of the Java VM that the user added
 */
public record ServerSettings(
        Path layout, Path dataDirectory, String host, int port, String java, List<String> javaOptions) {
    /** Option of the Java VM for the TLS mode. The last one applies. */
    public static final String TLS_MODE = "-Dsallyport.tls.mode=";

    /** Option of the Java VM for the log format, {@code text} or {@code json}. The last one applies. */
    public static final String LOG_FORMAT = "-Dsallyport.log.format=";

    private static final String INSECURE = TlsMode.INSECURE.text();

    public ServerSettings {
        dataDirectory = dataDirectory.toAbsolutePath().normalize();
        javaOptions = List.copyOf(javaOptions);
    }

    /** Returns the address of the service for clients on this machine. */
    public URI url() {
        String name = switch (host) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::", "[::]" -> "[::1]";
            default -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        };
        return URI.create((tlsMode().equals(INSECURE) ? "http://" : "https://") + name + ":" + port);
    }

    /** Returns the TLS mode: {@code insecure}, {@code tls} or {@code mtls}. The service itself rejects other values. */
    String tlsMode() {
        return lastValue(TLS_MODE).filter(mode -> TlsMode.of(mode).isPresent()).orElse(INSECURE);
    }

    /** Returns whether each log record is a JSON object. The service itself rejects unknown formats. */
    boolean logsJson() {
        return lastValue(LOG_FORMAT).filter("json"::equals).isPresent();
    }

    /** Returns the value of the last option of the Java VM that begins with {@code option}. */
    public Optional<String> lastValue(String option) {
        return javaOptions.stream()
                .filter(each -> each.startsWith(option))
                .reduce((first, last) -> last)
                .map(each -> each.substring(option.length()));
    }

    /** Returns the file to which the service prints. */
    public Path logFile() {
        return dataDirectory.resolve("log").resolve("server.log");
    }

    /** Returns the file of the {@link ServerProcessRecord} of this data directory. */
    public Path recordFile() {
        return dataDirectory.resolve("server.pid");
    }

    /** Returns the key that the first start wrote; empty if it cannot be read. */
    public Optional<String> readKey() {
        try {
            String key = Files.readString(keyFile()).strip();
            return key.isEmpty() ? Optional.empty() : Optional.of(key);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns the file to which the first start writes the administrator's key. */
    public Path keyFile() {
        return dataDirectory.resolve("admin.key");
    }
}
