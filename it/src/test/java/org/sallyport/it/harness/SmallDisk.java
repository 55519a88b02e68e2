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
 * A directory that is a small disk of its own for one server, which is started in a name space where it is mounted. Needs no
 * rights where the system lets users have name spaces.
 */
public final class SmallDisk {
    private static final Path FILLER_FILE = Path.of("filler");
    private static final int CHUNK_BYTES = 64 * 1024;

    private final Path directory = ServerSetup.temporaryDirectory();
    private final int megabytes;

    /** @param megabytes its size */
    public SmallDisk(int megabytes) {
        this.megabytes = megabytes;
    }

    /** Whether this system can have such disks. */
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

    /** Where it is, as the server sees it. */
    public Path directory() {
        return directory;
    }

    /** A server that has it. */
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

    /** Writes until no more than {@code left} bytes are free; 0 for no room for a byte. */
    public void fill(SallyportServer server, long left) {
        try (OutputStream file = Files.newOutputStream(
                hostPath(server).resolve(FILLER_FILE), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            byte[] piece = new byte[CHUNK_BYTES];
            while (left == 0 || freeBytes(server) > left) {
                file.write(piece);
            }
        } catch (IOException full) {
            // As it was meant to be.
        }
    }

    /** How many bytes are free. */
    public long freeBytes(SallyportServer server) {
        try {
            return Files.getFileStore(hostPath(server)).getUsableSpace();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Gives the space back. */
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
