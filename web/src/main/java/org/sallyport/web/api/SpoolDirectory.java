package org.sallyport.web.api;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * The directory of the bodies that are too large for memory. Bounds their bytes on this node, of which one tenant may
 * have half, and keeps a part of the disk free. {@link BatchReader} has the only instance. Thread-safe.
 */
@Dependent
public class SpoolDirectory {
    private final Path path;
    private final MemoryBudget budget;
    private final long minFreeBytes;

    @Inject
    public SpoolDirectory(Configuration configuration) {
        this(
                Path.of(configuration.get(Settings.DATA).toString(), "batches"),
                configuration.get(BatchSettings.MAX_SPOOLED_BYTES),
                configuration.get(Settings.DB_MIN_FREE_BYTES));
    }

    /**
     * @param maxBytes maximum size of all bodies together
     * @param minFreeBytes bytes of the disk that stay free for accepted executions
     */
    SpoolDirectory(Path path, long maxBytes, long minFreeBytes) {
        this.path = path;
        this.budget = new MemoryBudget("spooled bodies", maxBytes);
        this.minFreeBytes = minFreeBytes;
    }

    /** A new file without a name, whose bytes disappear when it is closed, however this node ends. */
    FileChannel openUnlinkedFile() throws IOException {
        Files.createDirectories(path);
        Path file = Files.createTempFile(path, "batch", ".body");
        try {
            return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** The bytes of one body, none at first. */
    MemoryBudget.MemoryReservation reserve(String tenant) {
        return budget.tryReserve(tenant, 0).orElseThrow();
    }

    /**
     * Adds bytes to a body before they are written.
     *
     * @throws ProblemException if the bodies together exceed their limit, or the disk is full
     */
    void grow(MemoryBudget.MemoryReservation body, int bytes) {
        if (!body.tryGrow(bytes)) {
            throw body.bytes() + bytes > budget.maxBytesPerOwner()
                    ? new ProblemException(
                            ProblemType.PAYLOAD_TOO_LARGE,
                            "the body is larger than " + budget.maxBytesPerOwner() + " bytes (half of the server's "
                                    + BatchSettings.MAX_SPOOLED_BYTES.name() + ")")
                    : new ProblemException(
                            ProblemType.UNAVAILABLE,
                            "the server holds as many bytes of large bodies as it may (the server's "
                                    + BatchSettings.MAX_SPOOLED_BYTES.name() + "); try again shortly");
        }
        // Not FileStore: looking it up reads all mounts of the machine.
        if (minFreeBytes > 0 && path.toFile().getUsableSpace() - bytes < minFreeBytes) {
            throw new ProblemException(
                    ProblemType.UNAVAILABLE,
                    "the disk of the server is full, except for what is reserved for accepted executions (the server's "
                            + Settings.DB_MIN_FREE_BYTES.name() + ")");
        }
    }
}
