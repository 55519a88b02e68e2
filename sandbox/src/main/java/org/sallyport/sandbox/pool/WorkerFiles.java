package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.sallyport.sandbox.Sandbox;

/**
 * The class files of workers, in a directory of their own whose path never changes. The server's own copies move with
 * every start, but a CDS archive is valid only for files that do not move.
 *
 * @param directory holds {@code jars}, {@code native} and the archive
 * @param jars the class path
 */
record WorkerFiles(Path directory, List<Path> jars) {
    private static final String CLASS_PATH_RESOURCE = "/META-INF/sallyport/worker-class-path";
    private static final String OWN_JAR = "sallyport-sandbox.jar";
    private static final String SEAL_FILE = "sealed";
    private static final Duration RETENTION = Duration.ofDays(7);

    Path nativeLibraries() {
        return directory.resolve("native");
    }

    Path archive() {
        return directory.resolve("classes.jsa");
    }

    /** Moves the archive into place atomically. {@code written} may lie on another file system. */
    void installArchive(Path written) throws IOException {
        Path beside = directory.resolve("classes-" + ProcessHandle.current().pid() + ".jsa");
        Files.copy(written, beside);
        makeWorldReadable(beside);
        Files.move(beside, archive(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Marks the directory as complete; {@link #of} uses prepared files only if they are marked. */
    void seal() throws IOException {
        Files.writeString(directory.resolve(SEAL_FILE), jarPathsAndTimes());
    }

    /** Lists paths and modification times of the jars: the Java VM accepts the archive only if both are unchanged. */
    private String jarPathsAndTimes() throws IOException {
        StringBuilder places = new StringBuilder();
        for (Path jar : jars) {
            places.append(jar)
                    .append(' ')
                    .append(Files.getLastModifiedTime(jar).toMillis())
                    .append('\n');
        }
        return places.toString();
    }

    String classPath() {
        return jars.stream().map(Path::toString).collect(Collectors.joining(java.io.File.pathSeparator));
    }

    /**
     * Returns the class files that {@link PrepareWorkers} has written, if they are complete, match this build and this
     * Java VM, and have not moved since. Otherwise lays out files below {@code root}.
     *
     * @param prepared the directory that {@link PrepareWorkers} has written; empty if there is none
     * @param root the directory for files that this process lays out
     */
    static WorkerFiles of(Optional<Path> prepared, Path root) throws IOException {
        if (prepared.isPresent()) {
            Path own = codeLocation();
            List<Path> others = dependencies(own);
            WorkerFiles files = inDirectory(prepared.get().toAbsolutePath().resolve(fingerprint(own, others)), others);
            if (files.isSealed()) {
                return files;
            }
        }
        return layOutAndPurge(root);
    }

    private boolean isSealed() {
        try {
            return Files.isRegularFile(archive())
                    && Files.readString(directory.resolve(SEAL_FILE)).equals(jarPathsAndTimes());
        } catch (IOException incomplete) {
            return false;
        }
    }

    private static WorkerFiles inDirectory(Path directory, List<Path> others) {
        List<Path> jars = new ArrayList<>(List.of(directory.resolve("jars").resolve(OWN_JAR)));
        others.forEach(jar -> jars.add(directory.resolve("jars").resolve(jar.getFileName())));
        return new WorkerFiles(directory, List.copyOf(jars));
    }

    /** Calls {@link #layOutIfMissing} and deletes files of other builds that no server has used for 7 days. */
    static WorkerFiles layOutAndPurge(Path root) throws IOException {
        WorkerFiles files = layOutIfMissing(root);
        Files.setLastModifiedTime(files.directory(), FileTime.from(Instant.now()));
        removeOld(root, files.directory());
        return files;
    }

    /**
     * Finds the class files that this class was loaded from, and lays them out below {@code root} if they are missing.
     */
    static WorkerFiles layOutIfMissing(Path root) throws IOException {
        Path own = codeLocation();
        List<Path> others = dependencies(own);
        Path target = root.toAbsolutePath().resolve(fingerprint(own, others));
        if (!Files.exists(target)) {
            Files.createDirectories(root);
            Path building = Files.createTempDirectory(root.toAbsolutePath(), "building-");
            layOut(building, own, others);
            makeWorldReadable(building);
            try {
                Files.move(building, target, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException another) {
                // Another process laid out the same files first.
                RunDirectories.deleteRecursively(building);
                if (!Files.exists(target)) {
                    throw another;
                }
            }
        }
        return inDirectory(target, others);
    }

    private static Path codeLocation() {
        try {
            return Path.of(Sandbox.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static List<Path> dependencies(Path own) throws IOException {
        Set<String> names = new java.util.LinkedHashSet<>();
        try (InputStream stream = WorkerFiles.class.getResourceAsStream(CLASS_PATH_RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("missing resource " + CLASS_PATH_RESOURCE);
            }
            for (String entry : new String(stream.readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .split(":", -1)) {
                names.add(entry.substring(entry.lastIndexOf('/') + 1));
            }
        }
        List<Path> found = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (String name : names) {
            Path beside = own.resolveSibling(name);
            Path chosen = Files.isRegularFile(beside) ? beside : onClassPath(name);
            if (chosen == null) {
                missing.add(name);
            } else {
                found.add(chosen);
            }
        }
        if (!missing.isEmpty()) {
            throw new IOException("files for workers are missing: " + missing);
        }
        return found;
    }

    private static @org.jspecify.annotations.Nullable Path onClassPath(String name) {
        return Stream.of(System.getProperty("java.class.path", "").split(java.io.File.pathSeparator))
                .map(Path::of)
                .filter(path -> path.endsWith(name) && Files.isRegularFile(path))
                .findFirst()
                .orElse(null);
    }

    /** Released jars never change under their name, so name and size suffice; the own classes do change. */
    private static String fingerprint(Path own, List<Path> others) throws IOException {
        MessageDigest digest = sha256();
        digest.update((Runtime.version() + System.getProperty("java.home")).getBytes(StandardCharsets.UTF_8));
        for (Path other : others) {
            digest.update((other.getFileName() + ":" + Files.size(other)).getBytes(StandardCharsets.UTF_8));
        }
        for (Path file : contents(own)) {
            digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
            digest.update(Files.readAllBytes(file));
        }
        return HexFormat.of().formatHex(digest.digest(), 0, 8);
    }

    private static List<Path> contents(Path own) throws IOException {
        if (Files.isRegularFile(own)) {
            return List.of(own);
        }
        try (Stream<Path> files = Files.walk(own)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void layOut(Path target, Path own, List<Path> others) throws IOException {
        Path jars = Files.createDirectory(target.resolve("jars"));
        Path libraries = Files.createDirectory(target.resolve("native"));
        if (Files.isDirectory(own)) {
            packJar(own, jars.resolve(OWN_JAR));
        } else {
            Files.copy(own, jars.resolve(OWN_JAR));
        }
        for (Path other : others) {
            Path copy = jars.resolve(other.getFileName());
            linkOrCopy(other, copy);
            unpackLibraries(copy, libraries);
        }
    }

    /**
     * A hard link shares permissions with its file, so a file that is not world-readable is copied and never changed.
     */
    private static void linkOrCopy(Path file, Path copy) throws IOException {
        try {
            if (isWorldReadable(file)) {
                Files.createLink(copy, file.toRealPath());
                return;
            }
        } catch (IOException | UnsupportedOperationException elsewhere) {
            // The file is copied below.
        }
        Files.copy(file, copy);
    }

    private static boolean isWorldReadable(Path file) throws IOException {
        return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
    }

    /**
     * Makes all files below {@code top} world-readable, because a worker may run as another user. The parent
     * directories restrict access.
     */
    static void makeWorldReadable(Path top) throws IOException {
        if (!Files.getFileStore(top).supportsFileAttributeView("posix")) {
            return;
        }
        try (Stream<Path> files = Files.walk(top)) {
            for (Path file : files.toList()) {
                String permissions = Files.isDirectory(file) ? "rwxr-xr-x" : "rw-r--r--";
                if (Files.isDirectory(file) || !isWorldReadable(file)) {
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
                }
            }
        }
    }

    private static void packJar(Path classes, Path jar) throws IOException {
        try (OutputStream stream = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(stream)) {
            for (Path file : contents(classes)) {
                ZipEntry entry = new ZipEntry(classes.relativize(file).toString());
                entry.setLastModifiedTime(FileTime.from(Instant.EPOCH));
                zip.putNextEntry(entry);
                Files.copy(file, zip);
                zip.closeEntry();
            }
        }
    }

    /** Native libraries lie in the root directory of their jars. */
    private static void unpackLibraries(Path jar, Path libraries) throws IOException {
        if (!jar.getFileName().toString().startsWith("swc4j-")) {
            return;
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            for (var entry : file.stream()
                    .filter(each -> each.getName().matches("[\\w.-]+\\.(?:so|dylib|dll)"))
                    .toList()) {
                try (InputStream content = file.getInputStream(entry)) {
                    Files.copy(content, libraries.resolve(entry.getName()));
                } catch (FileAlreadyExistsException twice) {
                    throw new IOException("two native libraries with one name: " + entry.getName(), twice);
                }
            }
        }
    }

    private static void removeOld(Path root, Path present) throws IOException {
        Instant limit = Instant.now().minus(RETENTION);
        try (Stream<Path> entries = Files.list(root)) {
            entries.filter(entry -> !entry.equals(present) && olderThan(entry, limit))
                    .forEach(RunDirectories::deleteRecursively);
        }
    }

    private static boolean olderThan(Path entry, Instant limit) {
        try {
            return Files.getLastModifiedTime(entry).toInstant().isBefore(limit);
        } catch (IOException e) {
            return false;
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new UncheckedIOException(new IOException(impossible));
        }
    }
}
