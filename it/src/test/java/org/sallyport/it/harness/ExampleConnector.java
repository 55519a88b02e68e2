package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** The jar of the example in {@code examples/java-connector}, with the backend {@code freight}. */
public final class ExampleConnector {
    /** Name of the jar in its directory. */
    public static final String JAR = "freight-connector.jar";

    private ExampleConnector() {}

    /**
     * Copies the jar into a directory, which is created if it is missing, and returns the directory. Only the owner can
     * access both.
     */
    public static Path copyTo(Path directory) {
        return copyTo(directory, CheckoutPaths.connectorJar());
    }

    /** Copies another jar in place of the example. */
    public static Path copyTo(Path directory, Path jar) {
        try {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Path fresh = Files.copy(jar, directory.resolve("freight-connector.new"));
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-------"));
            Files.move(fresh, directory.resolve(JAR), StandardCopyOption.REPLACE_EXISTING);
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
