package org.sallyport.cli.local;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The directory of all persistent data of a service. */
final class DataDirectory {
    private static final Set<PosixFilePermission> OWNER_PERMISSIONS = PosixFilePermissions.fromString("rwx------");
    /** The bit in the mode of a directory that several users share, such as {@code /tmp}. */
    private static final int STICKY = 0b1_000_000_000;
    /** Its owner is the user of this process. Linux only, as the service. */
    private static final Path THIS_PROCESS = Path.of("/proc/self");

    private DataDirectory() {}

    /**
     * Creates the directory if it does not exist, and takes the permissions of all users except its owner away, because
     * it will contain keys and the scripts of all users.
     *
     * @throws IOException also if the directory belongs to another user, or contains files of other programs
     */
    static void createPrivately(Path data) throws IOException {
        Optional<UserPrincipal> user =
                Files.exists(THIS_PROCESS) ? Optional.of(Files.getOwner(THIS_PROCESS)) : Optional.empty();
        createPrivately(data, user);
    }

    /** @param user the user of this process; empty if unknown */
    static void createPrivately(Path data, Optional<UserPrincipal> user) throws IOException {
        boolean posix = supportsAttributes("posix");
        if (!Files.isDirectory(data)) {
            Path above = data.getParent();
            if (above != null) {
                Files.createDirectories(above);
            }
            FileAttribute<?>[] owners = posix
                    ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_PERMISSIONS)}
                    : new FileAttribute<?>[0];
            Files.createDirectories(data, owners);
        }
        if (posix) {
            removeAccessOfOthers(data, user);
        }
    }

    private static void removeAccessOfOthers(Path data, Optional<UserPrincipal> user) throws IOException {
        UserPrincipal owner = Files.getOwner(data);
        if (user.isPresent() && !owner.equals(user.get())) {
            throw new IOException("it belongs to " + owner.getName() + ", and this command runs as "
                    + user.get().getName());
        }
        Set<PosixFilePermission> permissions = new HashSet<>(Files.getPosixFilePermissions(data));
        if (OWNER_PERMISSIONS.containsAll(permissions)) {
            return;
        }
        if (isShared(data)) {
            throw new IOException("other programs use it, and other users would lose their access to it");
        }
        permissions.retainAll(OWNER_PERMISSIONS);
        Files.setPosixFilePermissions(data, permissions);
    }

    /** Whether a change of the permissions would affect more than the service. */
    private static boolean isShared(Path data) throws IOException {
        boolean sticky = supportsAttributes("unix") && ((Integer) Files.getAttribute(data, "unix:mode") & STICKY) != 0;
        return sticky
                || Stream.of("user.home", "java.home", "java.io.tmpdir")
                        .map(property -> System.getProperty(property, ""))
                        .anyMatch(path -> Path.of(path).startsWith(data));
    }

    private static boolean supportsAttributes(String view) {
        return FileSystems.getDefault().supportedFileAttributeViews().contains(view);
    }
}
