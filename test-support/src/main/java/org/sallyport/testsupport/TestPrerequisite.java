package org.sallyport.testsupport;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * A program or a permission that a test needs on the machine. If it is missing, the test is skipped; with the
 * environment variable {@code CI=true} the test fails instead, so that a missing test is noticed.
 */
public final class TestPrerequisite {
    private TestPrerequisite() {}

    /**
     * Returns normally if the prerequisite is present.
     *
     * @param missing the missing prerequisite and how to install it; the message of the failure or the skip
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

    /** Returns whether a directory of {@code PATH} has an executable file of this name. */
    public static boolean hasProgram(String name) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
    }
}
