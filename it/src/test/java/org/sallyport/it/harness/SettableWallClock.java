package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The wall clock of one server, which a test can set while the server runs. The monotonic clock is unaffected. Uses
 * Debian's libfaketime.
 */
public final class SettableWallClock {
    private final Path library;
    private final Path directory = ServerSetup.temporaryDirectory();
    private final Path file = directory.resolve("offset");

    private SettableWallClock(Path library) {
        this.library = library;
        setOffset(Duration.ZERO);
    }

    /** Returns a clock if the library is installed; {@code -Dfaketime.library=…} gives another path of it. */
    public static Optional<SettableWallClock> find() {
        return Stream.of(
                        System.getProperty("faketime.library", ""),
                        "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
                        "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1")
                .map(Path::of)
                .filter(Files::isRegularFile)
                .findFirst()
                .map(SettableWallClock::new);
    }

    /** Configures a server to use this clock. */
    public ServerSetup configure(ServerSetup setup) {
        return setup.withEnvironment("LD_PRELOAD", library.toString())
                .withEnvironment("FAKETIME_TIMESTAMP_FILE", file.toString())
                .withEnvironment("FAKETIME_NO_CACHE", "1")
                .withEnvironment("FAKETIME_DONT_FAKE_MONOTONIC", "1")
                // This workaround for waits on the monotonic clock is for certain versions of the C library. With other
                // versions it makes such waits return immediately.
                .withEnvironment("FAKETIME_FORCE_MONOTONIC_FIX", "0");
    }

    /** Sets the clock to the correct time plus {@code offset}, which may be negative. */
    public void setOffset(Duration offset) {
        try {
            Path next = Files.writeString(
                    directory.resolve("next"), (offset.isNegative() ? "" : "+") + offset.toSeconds() + "\n");
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
