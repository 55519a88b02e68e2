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

/**
 * Arms the failpoints of one installation, also while its server runs, and reads the calls that its connectors
 * received.
 */
final class FailpointControl {
    private final Path directory = ServerSetup.temporaryDirectory();
    private int armCount;

    /** Configures a server to obey this control. */
    ServerSetup configure(ServerSetup setup) {
        return setup.with(KillingFailpointHook.DIRECTORY_PROPERTY, directory.toString());
    }

    /** Makes the process die the {@code times}-th time that it reaches the failpoint, counted from now. */
    void arm(Failpoint point, int times) {
        arm(point + " " + times);
    }

    /**
     * Loses the answer of the {@code times}-th commit, counted from now, of those that a class requests.
     *
     * @param className a regular expression, found in the name of the class
     */
    void loseCommit(int times, String className) {
        arm(KillingFailpointHook.LOSE + " " + Failpoint.COMMITTED + " " + times + " " + className);
    }

    private void arm(String words) {
        try {
            Path file = Files.writeString(directory.resolve("next"), words + " " + ++armCount);
            Files.move(file, armedFile(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the answer of {@link #loseCommit} is not lost yet. */
    boolean isArmed() {
        return Files.exists(armedFile());
    }

    private Path armedFile() {
        return directory.resolve(KillingFailpointHook.ARMED_FILE);
    }

    void disarm() {
        try {
            Files.deleteIfExists(armedFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every call that a connector received, with repetitions, each as call id and tool. */
    List<String> connectorCalls() {
        Path file = directory.resolve(KillingFailpointHook.CALLS_FILE);
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
