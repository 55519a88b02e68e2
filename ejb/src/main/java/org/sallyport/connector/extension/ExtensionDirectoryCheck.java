package org.sallyport.connector.extension;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;

/** Checks who may change the files that the service runs as its own code. */
final class ExtensionDirectoryCheck {
    private ExtensionDirectoryCheck() {}

    /**
     * Returns why the jar or the directory cannot be trusted: others than its owner may write to it. Empty if only the
     * owner may, and on file systems without such permissions. Follows links.
     */
    static Optional<String> findProblem(Path file) {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return Optional.empty();
        }
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            return permissions.contains(PosixFilePermission.GROUP_WRITE)
                            || permissions.contains(PosixFilePermission.OTHERS_WRITE)
                    ? Optional.of(file + ": other users than its owner may write to it, and the service would run their"
                            + " code; remove the permission: chmod go-w '" + file + "'")
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.of(file + ": its permissions cannot be read: " + e);
        }
    }
}
