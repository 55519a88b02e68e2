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
 * What a worker sees of the file system, each at the path it has outside: system libraries, the JDK, the class files,
 * a few devices, the socket.
 */
final class BindMounts {
    /** One thing to see; {@code target} is a link's, else empty. */
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

    /** @param programs what else is run inside */
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

    /** All that the worker of {@code cell} sees; what holds others comes before them. */
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

    /** Some distributions keep a JDK's configuration elsewhere and link to it. */
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
            // A directory at the very top, such as /etc, holds more than is needed.
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
