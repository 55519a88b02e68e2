package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Deletes directories that tests created. */
public final class DirectoryCleanup {
    private DirectoryCleanup() {}

    public static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // A process that ends late may still write there. The operating system cleans its temporary directory
            // later.
            System.getLogger(DirectoryCleanup.class.getName())
                    .log(System.Logger.Level.INFO, "{0} could not be removed: {1}", directory, e.getMessage());
        }
    }
}
