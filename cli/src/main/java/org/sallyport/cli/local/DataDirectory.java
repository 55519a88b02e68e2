package org.sallyport.cli.local;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Where everything lasting of a service goes. */
final class DataDirectory {
    private DataDirectory() {}

    /** Makes it if it is not there, for its owner alone: it will hold keys and everybody's scripts. */
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
