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
final class FileView {
    /** One thing to see; {@code target} is a link's, else empty. */
    record Entry(Kind kind, Path path, String target) {}

    enum Kind {
        DIRECTORY,
        FILE,
        DEVICE,
        LINK
    }

    private static final List<Path> LIBRARIES =
            paths("/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/lib32", "/nix/store", "/gnu/store");
    private static final List<Path> DEVICES = paths("/dev/null", "/dev/random", "/dev/urandom");

    private final List<Entry> common = new ArrayList<>();
    private final Set<Path> directories = new TreeSet<>();

    /** @param programs what else is run inside */
    FileView(Path javaHome, List<Path> programs) throws IOException {
        for (Path library : LIBRARIES) {
            if (Files.isSymbolicLink(library)) {
                common.add(new Entry(
                        Kind.LINK, library, Files.readSymbolicLink(library).toString()));
            } else if (Files.isDirectory(library)) {
                add(library);
            }
        }
        add(javaHome.toRealPath());
        if (!javaHome.toRealPath().equals(javaHome)) {
            add(javaHome);
        }
        linkedFrom(javaHome.toRealPath());
        programs.forEach(this::addFile);
        for (Path device : DEVICES) {
            common.add(new Entry(Kind.DEVICE, device, ""));
        }
    }

    /** All that the worker of {@code cell} sees; what holds others comes before them. */
    List<Entry> entries(Cell cell) {
        List<Entry> all = new ArrayList<>();
        Set<Path> shown = new TreeSet<>(directories);
        shown.addAll(cell.readable());
        shown.forEach(directory -> all.add(new Entry(Kind.DIRECTORY, directory, "")));
        all.addAll(common);
        all.add(new Entry(Kind.FILE, cell.door(), ""));
        return all;
    }

    private void add(Path directory) {
        if (!covered(directory)) {
            directories.add(directory);
        }
    }

    private void addFile(Path file) {
        if (!covered(file)) {
            common.add(new Entry(Kind.FILE, file, ""));
        }
    }

    private boolean covered(Path path) {
        return directories.stream().anyMatch(path::startsWith);
    }

    /** Some distributions keep a JDK's configuration elsewhere and link to it. */
    private void linkedFrom(Path javaHome) throws IOException {
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

    private static List<Path> paths(String... paths) {
        return Stream.of(paths)
                .map(Path::of)
                .filter(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS))
                .toList();
    }
}
