package org.sallyport.tls;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** What a file held when it was read. */
final class FileBytes {
    /** Larger than any bundle of authorities. */
    private static final long LARGEST = 4 << 20;

    private final byte[] bytes;

    private FileBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /** @param setting the setting that names the file, for messages */
    static FileBytes of(Path file, String setting) throws UnusableException {
        try {
            if (Files.isDirectory(file)) {
                throw new UnusableException(setting + " '" + file + "'", "is a directory");
            }
            if (Files.size(file) > LARGEST) {
                throw new UnusableException(setting + " '" + file + "'", "is larger than " + LARGEST + " bytes");
            }
            return new FileBytes(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            throw new UnusableException(setting + " '" + file + "'", "there is no such file");
        } catch (AccessDeniedException e) {
            throw new UnusableException(setting + " '" + file + "'", "may not be read by this process");
        } catch (IOException e) {
            throw new UnusableException(setting + " '" + file + "'", "cannot be read");
        }
    }

    byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileBytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
