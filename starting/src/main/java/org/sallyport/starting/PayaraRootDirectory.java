package org.sallyport.starting;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The directory that Payara Micro writes to: its configuration and the unpacked applications. A killed server leaves
 * the directory behind; the next start deletes it. A lock file beside it, locked until the process ends, prevents two
 * servers from using the same directory.
 */
final class PayaraRootDirectory {
    private static @Nullable FileLock processLock;

    private PayaraRootDirectory() {}

    /**
     * Deletes the directory and creates it with the initial configuration of Payara Micro.
     *
     * @param platform directory that contains {@code config}, as Payara Micro's own launcher writes it
     * @throws IOException if another process uses the directory, or if it cannot be written
     */
    static void recreate(Path platform, Path root) throws IOException {
        Files.createDirectories(root.toAbsolutePath().getParent());
        lock(root.resolveSibling(root.getFileName() + ".lock"));
        delete(root);
        copy(platform.resolve("config").toRealPath(), root.resolve("config"));
    }

    private static synchronized void lock(Path file) throws IOException {
        if (processLock != null) {
            return;
        }
        // Not closed: the operating system releases the lock when the process ends.
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        processLock = channel.tryLock();
        if (processLock == null) {
            channel.close();
            throw new IOException("another server process uses this data directory (" + file + " is locked)");
        }
    }

    /** Deletes links without following them. */
    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Files.createDirectories(to.resolve(from.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file)));
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
