package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The short-lived directories of a pool: one for its socket and its workers' working directories. */
final class RunDirectories {
    private static final String PREFIX = "sallyport-run-";
    /** A Unix domain socket's path has about a hundred bytes. */
    private static final int MAX_ROOT_LENGTH = 60;

    private RunDirectories() {}

    /** A new directory that only this user may enter; those that dead processes left are removed. */
    static Path createRunDirectory() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Path root = temporary.toString().length() <= MAX_ROOT_LENGTH ? temporary : Path.of("/tmp");
        deleteOrphaned(root);
        return Files.createTempDirectory(
                root,
                PREFIX + ProcessHandle.current().pid() + "-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** A directory of this user alone to write, and of all to read; the same one at every start where that is safe. */
    static Path openSharedDirectory() throws IOException {
        var readable = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Path own = temporary.resolve("sallyport-workers");
        try {
            return Files.createDirectory(own, readable);
        } catch (java.nio.file.FileAlreadyExistsException earlier) {
            boolean ours = Files.isDirectory(own, java.nio.file.LinkOption.NOFOLLOW_LINKS)
                    && Files.getOwner(own).equals(Files.getOwner(createOwnedFile(temporary)))
                    && Files.getPosixFilePermissions(own).equals(PosixFilePermissions.fromString("rwxr-xr-x"));
            return ours ? own : Files.createTempDirectory(temporary, "sallyport-workers-", readable);
        }
    }

    private static Path createOwnedFile(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, PREFIX, "");
        file.toFile().deleteOnExit();
        return file;
    }

    /** Deletes a directory with all it holds, as far as that is possible. Links are removed, not followed. */
    static void deleteRecursively(Path directory) {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(directory)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException | java.io.UncheckedIOException gone) {
            return;
        }
        for (Path path : all) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException stays) {
                // Whoever still writes there loses nothing but a temporary file.
            }
        }
    }

    private static void deleteOrphaned(Path root) throws IOException {
        try (Stream<Path> entries = Files.list(root)) {
            entries.filter(RunDirectories::isOrphaned).forEach(RunDirectories::deleteRecursively);
        }
    }

    private static boolean isOrphaned(Path entry) {
        String name = entry.getFileName().toString();
        if (!name.startsWith(PREFIX)) {
            return false;
        }
        String pid = name.substring(PREFIX.length()).replaceFirst("-.*", "");
        try {
            Optional<ProcessHandle> owner = ProcessHandle.of(Long.parseLong(pid));
            return owner.isEmpty();
        } catch (NumberFormatException other) {
            return false;
        }
    }
}
