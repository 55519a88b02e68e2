package org.sallyport.backup;

import java.io.IOException;
import java.nio.file.Path;

/** Copies the database into a file while it is in use. */
public interface BackupWriter {
    /**
     * Writes a copy that has every transaction that was committed before this call, and checks that the copy can be
     * opened and read. May leave files whose names begin with the name of {@code file}; the caller deletes them.
     *
     * @param file may exist; its content is replaced, its permissions stay
     * @throws IOException if the copy cannot be written, or cannot be read again
     */
    void write(Path file) throws IOException;
}
