package org.sallyport.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Locks the data directory against other processes. The operating system releases the lock when this process ends, also
 * after a crash.
 */
final class DataDirectoryLock implements AutoCloseable {
    private final FileChannel file;

    private DataDirectoryLock(FileChannel file) {
        this.file = file;
    }

    /** Throws {@link IllegalStateException} when another process holds the lock. */
    static DataDirectoryLock acquire(Path data) throws IOException {
        FileChannel file =
                FileChannel.open(data.resolve("node.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            taken = file.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Another application of this process holds the lock: same result.
            taken = false;
        } finally {
            if (!taken) {
                file.close();
            }
        }
        if (!taken) {
            throw new IllegalStateException("another process uses the data directory " + data
                    + "; give each process its own with sallyport.data, or stop the other process");
        }
        return new DataDirectoryLock(file);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
