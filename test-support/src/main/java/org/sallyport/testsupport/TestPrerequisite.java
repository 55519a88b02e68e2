package org.sallyport.testsupport;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * A program or a right that a test needs from the machine. Without it the test is skipped; with the environment variable
 * {@code CI=true} it fails, so that no test is lost unnoticed.
 */
public final class TestPrerequisite {
    private TestPrerequisite() {}

    /**
     * Returns if the prerequisite is there.
     *
     * @param missing what is missing and how to install it; the message of the failure or the skip
     * @throws TestAbortedException if it is missing
     * @throws AssertionError if it is missing and {@code CI=true}
     */
    public static void require(boolean present, String missing) {
        if (present) {
            return;
        }
        if ("true".equals(System.getenv("CI"))) {
            throw new AssertionError("CI=true, and a prerequisite of this test is missing: " + missing);
        }
        throw new TestAbortedException(missing);
    }

    /** Whether the search path has an executable file of this name. */
    public static boolean hasProgram(String name) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
    }
}
