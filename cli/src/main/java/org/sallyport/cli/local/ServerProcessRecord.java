package org.sallyport.cli.local;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * The process that serves a data directory, as stored in {@code server.pid} ({@code pid=}, {@code started=},
 * {@code url=}, one per line).
 *
 * @param startedAt start time of the process by the operating system; a process id alone may be reused
 */
public record ServerProcessRecord(long pid, Instant startedAt, URI url) {
    /** The system derives start times from its boot time, which moves when the clock is set. */
    private static final Duration START_TIME_TOLERANCE = Duration.ofSeconds(2);

    /** Returns the record of a process that was just started. */
    static ServerProcessRecord of(ProcessHandle process, URI url) {
        return new ServerProcessRecord(
                process.pid(), process.info().startInstant().orElse(Instant.EPOCH), url);
    }

    /** Reads a record. Empty if there is none or it is invalid. */
    static Optional<ServerProcessRecord> read(Path file) throws IOException {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(Files.readString(file)));
            return Optional.of(new ServerProcessRecord(
                    Long.parseLong(properties.getProperty("pid", "")),
                    Instant.parse(properties.getProperty("started", "")),
                    URI.create(properties.getProperty("url", ""))));
        } catch (NoSuchFileException | IllegalArgumentException | DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Writes the record atomically. */
    void write(Path file) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, "pid=" + pid + "\nstarted=" + startedAt + "\nurl=" + url + "\n");
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Returns the process, if it is alive and is the recorded one.
     *
     * @param mark an argument that the process must have, where the system shows its arguments
     */
    Optional<ProcessHandle> findProcess(String mark) {
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .filter(this::hasRecordedStart)
                .filter(process -> process.info()
                        .arguments()
                        .map(arguments -> List.of(arguments).contains(mark))
                        .orElse(true));
    }

    /** Returns whether connections to this address of this machine, a loopback address, reach the process. */
    boolean isServing(URI loopback) {
        return portOf(loopback) == portOf(url) && LoopbackListeners.belongTo(pid, portOf(url));
    }

    private static int portOf(URI url) {
        return url.getPort() >= 0 ? url.getPort() : "https".equals(url.getScheme()) ? 443 : 80;
    }

    private boolean hasRecordedStart(ProcessHandle process) {
        return process.info()
                .startInstant()
                .map(instant -> Duration.between(startedAt, instant).abs().compareTo(START_TIME_TOLERANCE) <= 0)
                .orElse(startedAt.equals(Instant.EPOCH));
    }
}
