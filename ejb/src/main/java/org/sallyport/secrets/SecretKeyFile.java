package org.sallyport.secrets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;

/** The file with the encryption keys of the installation, created at the first start and readable only by its owner. */
public final class SecretKeyFile {
    private SecretKeyFile() {}

    /**
     * Reads the keys in {@code file} and creates it when it is missing. Throws {@link IllegalArgumentException} when
     * its content is invalid.
     */
    public static SecretCipher loadOrCreate(Path file, SecureRandom random) throws IOException {
        if (Files.notExists(file)) {
            byte[] key = new byte[SecretCipher.KEY_BYTES];
            random.nextBytes(key);
            create(file, Base64.getEncoder().encodeToString(key) + "\n");
        }
        return SecretCipher.parse(Files.readString(file), random);
    }

    /**
     * Creates the file with owner-only permissions. A later change of its mode would leave it readable by others in
     * between.
     */
    private static void create(Path file, String text) throws IOException {
        FileAttribute<?>[] ownerOnly =
                file.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        // Writes the file atomically and forces it to disk before any secret is encrypted with the key.
        Path fresh = Files.createTempFile(file.toAbsolutePath().getParent(), "secrets", ".new", ownerOnly);
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
                channel.force(true);
            }
            Files.move(fresh, file);
        } catch (FileAlreadyExistsException e) {
            throw new IOException("another process has just written " + file, e);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }
}
