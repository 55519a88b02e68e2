package org.sallyport.it.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.chaos.inside.DeadlyHook;
import org.sallyport.it.harness.ServerSetup;

/** Arms the points of one installation, also while its server runs, and reads which calls its connectors were given. */
final class Armoury {
    private final Path directory = ServerSetup.temporaryDirectory();
    private int armed;

    /** A server that does what is asked here. */
    ServerSetup usedBy(ServerSetup setup) {
        return setup.with(DeadlyHook.DIRECTORY, directory.toString());
    }

    /** The process ends the {@code times}-th time that it gets to the point from now on. */
    void arm(Failpoint point, int times) {
        try {
            Path file = Files.writeString(directory.resolve("next"), point + " " + times + " " + ++armed);
            Files.move(file, directory.resolve(DeadlyHook.ARMED), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void disarm() {
        try {
            Files.deleteIfExists(directory.resolve(DeadlyHook.ARMED));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every call that a connector was given, as often as it was: call id and tool. */
    List<String> calls() {
        Path file = directory.resolve(DeadlyHook.CALLS);
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
