package org.sallyport.wiring;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps a second process out of a data directory. The system lets go of it when this process ends, however it ends. */
final class DataDirectoryLock implements AutoCloseable {
    private final FileChannel file;

    private DataDirectoryLock(FileChannel file) {
        this.file = file;
    }

    /** Throws {@link IllegalStateException} when another process has it. */
    static DataDirectoryLock acquire(Path data) throws IOException {
        FileChannel file =
                FileChannel.open(data.resolve("node.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            taken = file.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // By another application of this process: the same answer.
            taken = false;
        } finally {
            if (!taken) {
                file.close();
            }
        }
        if (!taken) {
            throw new IllegalStateException("another process uses the data directory " + data
                    + "; give each its own with sallyport.data, or end the other");
        }
        return new DataDirectoryLock(file);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
