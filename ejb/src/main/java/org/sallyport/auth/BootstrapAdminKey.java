package org.sallyport.auth;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The admin key that the first start creates, so that an administrator can create other keys. */
public final class BootstrapAdminKey {
    private static final String FILE_NAME = "admin.key";
    private static final String TENANT = "default";

    private BootstrapAdminKey() {}

    /**
     * Writes a new admin key to {@code admin.key} in {@code data}, readable only by the owner of the file, unless the
     * file already has a valid key.
     */
    public static void ensureExists(Path data, ApiKeyService keys) throws IOException {
        Path file = data.resolve(FILE_NAME);
        if (Files.exists(file)
                && keys.authenticate(Files.readString(file).strip()).isPresent()) {
            return;
        }
        Files.createDirectories(data);
        ApiKeyService.IssuedApiKey issued =
                keys.issue(TENANT, "admin (first start)", EnumSet.allOf(Role.class), Optional.empty());
        Path fresh = data.resolve(FILE_NAME + ".new");
        Files.deleteIfExists(fresh);
        writeOwnerOnly(fresh, issued.secret() + "\n");
        Files.move(fresh, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        System.getLogger(BootstrapAdminKey.class.getName())
                .log(
                        Level.INFO,
                        "a new admin key was written to {0}",
                        file.toAbsolutePath().normalize());
    }

    /**
     * Creates the file with owner-only permissions. A later change of its mode would leave it readable by others in
     * between.
     */
    private static void writeOwnerOnly(Path file, String text) throws IOException {
        FileAttribute<?>[] ownerOnly =
                file.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        try (var channel = Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
            channel.write(java.nio.ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        } catch (FileAlreadyExistsException e) {
            throw new IOException("another process is writing " + file + " right now", e);
        }
    }
}
