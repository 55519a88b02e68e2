package org.sallyport.it.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.chaos.inside.KillingFailpointHook;
import org.sallyport.it.harness.ServerSetup;

/** Arms the points of one installation, also while its server runs, and reads which calls its connectors were given. */
final class FailpointControl {
    private final Path directory = ServerSetup.temporaryDirectory();
    private int armCount;

    /** A server that does what is asked here. */
    ServerSetup configure(ServerSetup setup) {
        return setup.with(KillingFailpointHook.DIRECTORY_PROPERTY, directory.toString());
    }

    /** The process ends the {@code times}-th time that it gets to the point from now on. */
    void arm(Failpoint point, int times) {
        try {
            Path file = Files.writeString(directory.resolve("next"), point + " " + times + " " + ++armCount);
            Files.move(file, directory.resolve(KillingFailpointHook.ARMED_FILE), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void disarm() {
        try {
            Files.deleteIfExists(directory.resolve(KillingFailpointHook.ARMED_FILE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every call that a connector was given, as often as it was: call id and tool. */
    List<String> connectorCalls() {
        Path file = directory.resolve(KillingFailpointHook.CALLS_FILE);
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
