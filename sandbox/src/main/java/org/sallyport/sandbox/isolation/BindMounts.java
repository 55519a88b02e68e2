package org.sallyport.sandbox.isolation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The parts of the file system that a worker sees, each at its path on the host: system libraries, the JDK, the class
 * files, a few devices, the socket.
 */
final class BindMounts {
    /** One visible path; {@code target} is the target of a link, else empty. */
    record MountEntry(MountType type, Path path, String target) {}

    enum MountType {
        DIRECTORY,
        FILE,
        DEVICE,
        LINK
    }

    private static final List<Path> LIBRARIES = existingPaths(
            "/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/lib32", "/nix/store", "/gnu/store");
    private static final List<Path> DEVICES = existingPaths("/dev/null", "/dev/random", "/dev/urandom");

    private final List<MountEntry> commonEntries = new ArrayList<>();
    private final Set<Path> directories = new TreeSet<>();

    /**
     * @param programs other programs that run inside
     */
    BindMounts(Path javaHome, List<Path> programs) throws IOException {
        for (Path library : LIBRARIES) {
            if (Files.isSymbolicLink(library)) {
                commonEntries.add(new MountEntry(
                        MountType.LINK, library, Files.readSymbolicLink(library).toString()));
            } else if (Files.isDirectory(library)) {
                add(library);
            }
        }
        add(javaHome.toRealPath());
        if (!javaHome.toRealPath().equals(javaHome)) {
            add(javaHome);
        }
        addLinkTargets(javaHome.toRealPath());
        programs.forEach(this::addFile);
        for (Path device : DEVICES) {
            commonEntries.add(new MountEntry(MountType.DEVICE, device, ""));
        }
    }

    /** Returns all entries that the worker of {@code cell} sees; parent directories come first. */
    List<MountEntry> entriesFor(WorkerIsolationSpec cell) {
        List<MountEntry> all = new ArrayList<>();
        Set<Path> shown = new TreeSet<>(directories);
        shown.addAll(cell.readableDirectories());
        shown.forEach(directory -> all.add(new MountEntry(MountType.DIRECTORY, directory, "")));
        all.addAll(commonEntries);
        all.add(new MountEntry(MountType.FILE, cell.socket(), ""));
        return all;
    }

    private void add(Path directory) {
        if (!isCovered(directory)) {
            directories.add(directory);
        }
    }

    private void addFile(Path file) {
        if (!isCovered(file)) {
            commonEntries.add(new MountEntry(MountType.FILE, file, ""));
        }
    }

    private boolean isCovered(Path path) {
        return directories.stream().anyMatch(path::startsWith);
    }

    /** Adds link targets: some distributions keep the JDK's configuration elsewhere and link to it. */
    private void addLinkTargets(Path javaHome) throws IOException {
        for (String part : List.of("conf", "lib")) {
            Path top = javaHome.resolve(part);
            if (!Files.isDirectory(top)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(top)) {
                files.filter(Files::isSymbolicLink).forEach(this::addTarget);
            }
        }
    }

    private void addTarget(Path link) {
        try {
            if (!Files.isRegularFile(link)) {
                return;
            }
            Path target = link.toRealPath();
            Path parent = target.getParent();
            // A top-level directory, such as /etc, contains more than is needed.
            if (parent != null && parent.getNameCount() > 1) {
                add(parent);
            } else {
                addFile(target);
            }
        } catch (IOException dangling) {
            throw new UncheckedIOException(dangling);
        }
    }

    private static List<Path> existingPaths(String... paths) {
        return Stream.of(paths)
                .map(Path::of)
                .filter(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS))
                .toList();
    }
}
