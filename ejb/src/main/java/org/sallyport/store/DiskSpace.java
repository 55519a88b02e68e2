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
final class DiskSpace {
    private final @Nullable Path directory;
    private final long least;

    private DiskSpace(@Nullable Path directory, long least) {
        this.directory = directory;
        this.least = least;
    }

    /** @param least bytes that must be free for something new; only heeded when {@code url} names a file of H2 */
    static DiskSpace of(String url, long least) {
        return new DiskSpace(
                JdbcUrl.file(url).map(Path::toAbsolutePath).map(Path::getParent).orElse(null), least);
    }

    /** {@link StoreUnavailableException} when something new would find too little room. */
    void require() {
        Optional<Long> free = free();
        if (free.isPresent() && free.get() < least) {
            throw new StoreUnavailableException(
                    "the disk of the database has " + free.get() + " bytes free, and " + least
                            + " are kept for what runs",
                    new IOException("no space left for new executions"));
        }
    }

    private Optional<Long> free() {
        if (directory == null || least == 0) {
            return Optional.empty();
        }
        // Not by its FileStore: to find that, all mounts of the machine are read, for each submission.
        long usable = directory.toFile().getUsableSpace();
        // Of a directory that cannot be looked at the database itself will say what is wrong.
        return usable == 0 && !Files.isDirectory(directory) ? Optional.empty() : Optional.of(usable);
    }
}
