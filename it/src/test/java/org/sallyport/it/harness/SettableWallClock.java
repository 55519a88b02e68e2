package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** The wall clock of one server, which can be set while it runs; its other clocks go on as they are. Uses Debian's libfaketime. */
public final class SettableWallClock {
    private final Path library;
    private final Path directory = ServerSetup.temporaryDirectory();
    private final Path file = directory.resolve("offset");

    private SettableWallClock(Path library) {
        this.library = library;
        setOffset(Duration.ZERO);
    }

    /** One, where the library is installed; {@code -Dfaketime.library=…} names it elsewhere. */
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

    /** A server that has it. */
    public ServerSetup configure(ServerSetup setup) {
        return setup.withEnvironment("LD_PRELOAD", library.toString())
                .withEnvironment("FAKETIME_TIMESTAMP_FILE", file.toString())
                .withEnvironment("FAKETIME_NO_CACHE", "1")
                .withEnvironment("FAKETIME_DONT_FAKE_MONOTONIC", "1")
                // Its mend for waits on that clock is for versions of the C library that need it: elsewhere they end at
                // once.
                .withEnvironment("FAKETIME_FORCE_MONOTONIC_FIX", "0");
    }

    /** Sets it so much before or after the right time. */
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
