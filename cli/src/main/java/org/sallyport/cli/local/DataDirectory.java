package org.sallyport.cli.local;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** The directory of all persistent data of a service. */
final class DataDirectory {
    private DataDirectory() {}

    /**
     * Creates the directory if it does not exist, accessible only to its owner, because it will contain keys and the
     * scripts of all users.
     */
    static void createPrivately(Path data) throws IOException {
        if (!Files.isDirectory(data)) {
            FileAttribute<?>[] owners =
                    FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                            ? new FileAttribute<?>[] {
                                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                            }
                            : new FileAttribute<?>[0];
            Path above = data.getParent();
            if (above != null) {
                Files.createDirectories(above);
            }
            Files.createDirectories(data, owners);
        }
    }
}
