package org.sallyport.it.harness;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/**
 * A small file system for one server, mounted in a mount namespace of its own. Needs no privileges where the system
 * allows user namespaces.
 */
public final class SmallDisk {
    private static final Path FILLER_FILE = Path.of("filler");
    private static final int CHUNK_BYTES = 64 * 1024;

    private final Path directory = ServerSetup.temporaryDirectory();
    private final int megabytes;

    /** @param megabytes size of the file system */
    public SmallDisk(int megabytes) {
        this.megabytes = megabytes;
    }

    /** Returns whether this system supports such file systems. */
    public static boolean isSupported() {
        try {
            Path directory = ServerSetup.temporaryDirectory();
            return CommandResult.run(
                                    Map.of(),
                                    List.of("unshare", "-Urm", "mount", "-t", "tmpfs", "tmpfs", directory.toString()))
                            .exitCode()
                    == 0;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /** Its path as the server sees it. */
    public Path directory() {
        return directory;
    }

    /** Configures a server to use this file system. */
    public ServerSetup configure(ServerSetup setup) {
        try {
            Path java = Path.of(System.getProperty("java.home"), "bin", "java");
            Path start = Files.writeString(
                    ServerSetup.temporaryDirectory().resolve("java"),
                    "#!/bin/sh\nexec unshare -Urm sh -c 'mount -t tmpfs -o size=" + megabytes + "m tmpfs " + directory
                            + " && exec " + java + " \"$@\"' java \"$@\"\n");
            Files.setPosixFilePermissions(start, PosixFilePermissions.fromString("rwxr-xr-x"));
            return setup.withJavaProgram(start);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes until at most {@code left} bytes are free; 0 leaves no space at all. */
    public void fill(SallyportServer server, long left) {
        try (OutputStream file = Files.newOutputStream(
                hostPath(server).resolve(FILLER_FILE), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            byte[] piece = new byte[CHUNK_BYTES];
            while (left == 0 || freeBytes(server) > left) {
                file.write(piece);
            }
        } catch (IOException full) {
            // Expected: the file system is full.
        }
    }

    /** Number of free bytes. */
    public long freeBytes(SallyportServer server) {
        try {
            return Files.getFileStore(hostPath(server)).getUsableSpace();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Frees the space that {@link #fill} took. */
    public void releaseSpace(SallyportServer server) {
        try {
            Files.delete(hostPath(server).resolve(FILLER_FILE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path hostPath(SallyportServer server) {
        return Path.of("/proc/" + server.pid() + "/root" + directory);
    }
}
