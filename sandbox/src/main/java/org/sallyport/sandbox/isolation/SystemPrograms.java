package org.sallyport.sandbox.isolation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The system's programs.
 *
 * @param searchPath directories they are looked for in, as in {@code PATH}
 */
public record SystemPrograms(String searchPath) {
    /** Where systems keep them; a server's own {@code PATH} is nothing to trust in. */
    public static final SystemPrograms SYSTEM_DEFAULT =
            new SystemPrograms("/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin");

    /** A program by its name; the directory's links are resolved, not the program's own: some go by their name. */
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
