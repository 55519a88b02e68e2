package org.sallyport.sandbox.isolation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds programs of the operating system.
 *
 * @param searchPath directories to search, as in {@code PATH}
 */
public record SystemPrograms(String searchPath) {
    /** The usual directories; the server's own {@code PATH} is not trusted. */
    public static final SystemPrograms SYSTEM_DEFAULT =
            new SystemPrograms("/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin");

    /**
     * Finds a program by name. Resolves links of the directory but not of the program, since some depend on their name.
     */
    Optional<Path> find(String name) {
        return Stream.of(searchPath.split(File.pathSeparator, -1))
                .filter(directory -> !directory.isEmpty())
                .map(Path::of)
                .filter(directory -> Files.isExecutable(directory.resolve(name)))
                .map(directory -> resolveLinks(directory).resolve(name))
                .findFirst();
    }

    private static Path resolveLinks(Path directory) {
        try {
            return directory.toRealPath();
        } catch (IOException asItIs) {
            return directory;
        }
    }
}
