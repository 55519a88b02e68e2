package org.sallyport.store.jpa;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Reserves the last bytes on the disk of an embedded H2 database for executions that are already accepted. H2 closes
 * itself when its disk is full, and has been observed to lose what it had committed a moment before. Thread-safe.
 */
final class DiskReserve {
    private final @Nullable Path directory;
    private final long minFreeBytes;

    private DiskReserve(@Nullable Path directory, long least) {
        this.directory = directory;
        this.minFreeBytes = least;
    }

    /** @param least bytes that must be free for new work; ignored unless {@code url} names a file of H2 */
    static DiskReserve of(String url, long least) {
        return new DiskReserve(
                JdbcUrl.databaseFile(url)
                        .map(Path::toAbsolutePath)
                        .map(Path::getParent)
                        .orElse(null),
                least);
    }

    /**
     * Checks that the disk has space for new work.
     *
     * @throws StoreUnavailableException if fewer bytes are free than the reserve
     */
    void requireFreeSpace() {
        Optional<Long> free = freeBytes();
        if (free.isPresent() && free.get() < minFreeBytes) {
            throw new StoreUnavailableException(
                    "the disk of the database has " + free.get() + " bytes free, but " + minFreeBytes
                            + " are reserved for accepted executions",
                    new IOException("no space left for new executions"));
        }
    }

    private Optional<Long> freeBytes() {
        if (directory == null || minFreeBytes == 0) {
            return Optional.empty();
        }
        // Not FileStore: looking it up reads all mounts of the machine, on each submission.
        long usable = directory.toFile().getUsableSpace();
        // If the directory is not accessible, the database itself reports the cause.
        return usable == 0 && !Files.isDirectory(directory) ? Optional.empty() : Optional.of(usable);
    }
}
