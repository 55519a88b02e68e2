package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.chaos.inside.KillingFailpointHook;

/** Arms the failpoints of one node, also while it runs, and reads the calls that its connectors received. */
public final class FailpointControl {
    private static final FailpointControl SHARED = new FailpointControl();

    private final Path directory = ServerSetup.temporaryDirectory();
    private int armCount;

    /** The control of the server of {@link ServerProfile#FAILPOINTS}. */
    public static FailpointControl shared() {
        return SHARED;
    }

    /** Configures a server to obey this control. Only servers of {@link FailpointBuild} can. */
    public ServerSetup configure(ServerSetup setup) {
        return setup.with(KillingFailpointHook.DIRECTORY_PROPERTY, directory.toString());
    }

    /** Makes the process die the {@code times}-th time that it reaches the failpoint, counted from now. */
    public void arm(Failpoint point, int times) {
        write(KillingFailpointHook.ARMED_FILE, point + " " + times + " " + ++armCount);
    }

    /**
     * Suspends the process (SIGSTOP) the {@code times}-th time that it reaches the failpoint, counted from now. It
     * continues from there when the test resumes it.
     */
    public void armPause(Failpoint point, int times) {
        write(KillingFailpointHook.PAUSE_FILE, point + " " + times + " " + ++armCount);
    }

    /** Lets the process run out of memory the {@code times}-th time that it reaches the failpoint, counted from now. */
    public void armMemoryExhaustion(Failpoint point, int times) {
        write(KillingFailpointHook.MEMORY_FILE, point + " " + times + " " + ++armCount);
    }

    private void write(String name, String text) {
        try {
            Path file = Files.writeString(directory.resolve("next-" + name), text);
            Files.move(file, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets the process pass all failpoints. */
    public void disarm() {
        try {
            Files.deleteIfExists(directory.resolve(KillingFailpointHook.ARMED_FILE));
            Files.deleteIfExists(directory.resolve(KillingFailpointHook.PAUSE_FILE));
            Files.deleteIfExists(directory.resolve(KillingFailpointHook.MEMORY_FILE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Loses the answer of the {@code number}-th commit, from 1 and counted from now, of those that a class requests.
     *
     * @param className a regular expression without spaces, found in the name of the class
     */
    public void loseCommit(int number, String className) {
        try {
            Path file = Files.writeString(
                    directory.resolve("next-lost-commit"), ++armCount + " " + number + " " + className);
            Files.move(file, lostCommitFile(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a commit is still to lose its answer. */
    public boolean losesCommit() {
        return Files.exists(lostCommitFile());
    }

    /** Loses no commit that is not lost yet. */
    public void loseNoCommit() {
        try {
            Files.deleteIfExists(lostCommitFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path lostCommitFile() {
        return directory.resolve(KillingFailpointHook.LOST_COMMIT_FILE);
    }

    /** Every call that a connector received, with repetitions, each as call id and tool. */
    public List<String> connectorCalls() {
        Path file = directory.resolve(KillingFailpointHook.CALLS_FILE);
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
