package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Manages the short-lived directories of a pool: each holds the pool's socket and the working directories of its
 * workers.
 */
final class RunDirectories {
    private static final String PREFIX = "sallyport-run-";
    /** The path of a Unix domain socket is limited to about a hundred bytes. */
    private static final int MAX_ROOT_LENGTH = 60;

    private RunDirectories() {}

    /** Creates a directory that only this user may enter, and deletes the directories of dead processes. */
    static Path createRunDirectory() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Path root = temporary.toString().length() <= MAX_ROOT_LENGTH ? temporary : Path.of("/tmp");
        deleteOrphaned(root);
        return Files.createTempDirectory(
                root,
                PREFIX + ProcessHandle.current().pid() + "-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /**
     * Returns a directory that only this user may write and all users may read; the same one at every start if that is
     * safe.
     */
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

    /** Deletes a directory and its contents; ignores files that cannot be deleted. Links are removed, not followed. */
    static void deleteRecursively(Path directory) {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(directory)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return;
        }
        for (Path path : all) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException stays) {
                // Another process still writes there. Only a temporary file remains.
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
