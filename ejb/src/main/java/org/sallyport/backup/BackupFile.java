package org.sallyport.backup;

import java.nio.file.Path;
import java.time.Instant;

/**
 * A backup on the disk.
 *
 * @param takenAt when the backup began; it has every transaction that was committed before
 * @param bytes size of the file
 */
public record BackupFile(Path path, Instant takenAt, long bytes) {
    /** Returns the name of the file, without its directory. */
    public String name() {
        return String.valueOf(path.getFileName());
    }
}
