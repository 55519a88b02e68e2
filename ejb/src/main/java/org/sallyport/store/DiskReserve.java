package org.sallyport.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.StoreUnavailableException;

/**
 * The disk of an embedded H2 database. Its last bytes are for what was accepted before: an H2 that finds its disk full
 * closes itself, and has been seen to forget what it had committed a moment before.
 */
final class DiskReserve {
    private final @Nullable Path directory;
    private final long minFreeBytes;

    private DiskReserve(@Nullable Path directory, long least) {
        this.directory = directory;
        this.minFreeBytes = least;
    }

    /** @param least bytes that must be free for something new; only heeded when {@code url} names a file of H2 */
    static DiskReserve of(String url, long least) {
        return new DiskReserve(
                JdbcUrl.databaseFile(url)
                        .map(Path::toAbsolutePath)
                        .map(Path::getParent)
                        .orElse(null),
                least);
    }

    /** {@link StoreUnavailableException} when something new would find too little room. */
    void requireFreeSpace() {
        Optional<Long> free = freeBytes();
        if (free.isPresent() && free.get() < minFreeBytes) {
            throw new StoreUnavailableException(
                    "the disk of the database has " + free.get() + " bytes free, and " + minFreeBytes
                            + " are kept for what runs",
                    new IOException("no space left for new executions"));
        }
    }

    private Optional<Long> freeBytes() {
        if (directory == null || minFreeBytes == 0) {
            return Optional.empty();
        }
        // Not by its FileStore: to find that, all mounts of the machine are read, for each submission.
        long usable = directory.toFile().getUsableSpace();
        // Of a directory that cannot be looked at the database itself will say what is wrong.
        return usable == 0 && !Files.isDirectory(directory) ? Optional.empty() : Optional.of(usable);
    }
}
