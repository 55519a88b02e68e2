package org.sallyport.tls;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** Content of a file at the time of a read. */
final class FileSnapshot {
    /** Larger than any bundle of authorities. */
    private static final long MAX_BYTES = 4 << 20;

    private final byte[] bytes;

    private FileSnapshot(byte[] bytes) {
        this.bytes = bytes;
    }

    /** @param setting the setting that names the file, for messages */
    static FileSnapshot of(Path file, String setting) throws TlsConfigurationException {
        try {
            if (Files.isDirectory(file)) {
                throw new TlsConfigurationException(setting + " '" + file + "'", "is a directory");
            }
            if (Files.size(file) > MAX_BYTES) {
                throw new TlsConfigurationException(
                        setting + " '" + file + "'", "is larger than " + MAX_BYTES + " bytes");
            }
            return new FileSnapshot(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            throw new TlsConfigurationException(setting + " '" + file + "'", "there is no such file");
        } catch (AccessDeniedException e) {
            throw new TlsConfigurationException(setting + " '" + file + "'", "may not be read by this process");
        } catch (IOException e) {
            throw new TlsConfigurationException(setting + " '" + file + "'", "cannot be read");
        }
    }

    byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileSnapshot that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
