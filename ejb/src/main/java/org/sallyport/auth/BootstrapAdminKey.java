package org.sallyport.auth;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The admin key that the first start with a data directory creates, so that an administrator can create other keys.
 * Later starts create none, so a key that was deleted or put in a safe is not replaced without being noticed.
 */
public final class BootstrapAdminKey {
    static final String FILE_NAME = "admin.key";
    /** Has the id of the key, for as long as the directory is used. */
    static final String ID_FILE_NAME = "admin.key.id";

    private static final Logger LOG = System.getLogger(BootstrapAdminKey.class.getName());

    private BootstrapAdminKey() {}

    /**
     * Writes a new admin key to {@code admin.key} in {@code data}, readable only by the owner of the file, at the first
     * start with this directory, and if the tenant has no valid admin key.
     *
     * @param tenant the tenant that operates the installation
     */
    public static void ensureExists(Path data, ApiKeyService keys, String tenant) throws IOException {
        Path file = data.resolve(FILE_NAME);
        Path idFile = data.resolve(ID_FILE_NAME);
        boolean hasFile = Files.exists(file);
        Optional<Caller> holder =
                hasFile ? keys.authenticate(Files.readString(file).strip()) : Optional.empty();
        if (holder.isPresent() && holder.get().tenant().equals(tenant)) {
            if (!Files.exists(idFile)) {
                replace(idFile, holder.get().id());
            }
            return;
        }
        if ((hasFile || Files.exists(idFile)) && hasValidAdminKey(keys, tenant)) {
            if (hasFile && holder.isEmpty()) {
                LOG.log(
                        Level.WARNING,
                        "the key in {0} is not valid. The tenant {1} has other admin keys, so no new one was created."
                                + " For a new one, delete {2} and {3}, and start the service again",
                        normalized(file),
                        tenant,
                        FILE_NAME,
                        ID_FILE_NAME);
            }
            return;
        }
        Files.createDirectories(data);
        if (holder.isPresent()) {
            // A valid key of the tenant that operated the installation before.
            Files.move(file, data.resolve(FILE_NAME + ".old"), StandardCopyOption.REPLACE_EXISTING);
        }
        ApiKeyService.IssuedApiKey issued =
                keys.issue(tenant, "admin (first start)", EnumSet.allOf(Role.class), Optional.empty());
        replace(file, issued.secret());
        // Last: a start that ends before this repeats it, so that there is no installation without a key.
        replace(idFile, issued.key().id());
        LOG.log(Level.INFO, "a new admin key was written to {0}", normalized(file));
    }

    private static boolean hasValidAdminKey(ApiKeyService keys, String tenant) {
        return keys.list(tenant).stream()
                .filter(key -> key.roles().contains(Role.ADMIN))
                .anyMatch(key -> key.expiresAt().filter(keys::isExpired).isEmpty());
    }

    private static Path normalized(Path file) {
        return file.toAbsolutePath().normalize();
    }

    private static void replace(Path file, String line) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        writeOwnerOnly(fresh, line + "\n");
        Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
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
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (FileAlreadyExistsException e) {
            throw new IOException("another process is writing " + file + " right now", e);
        }
    }
}
