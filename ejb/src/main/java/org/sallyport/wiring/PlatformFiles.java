package org.sallyport.wiring;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What Payara Micro has unpacked into the temporary directory: some 280 MB, which it removes when it is stopped. Of one that was killed
 * they would stay for ever; so each life notes its own, and removes those of earlier ones. Used while the data directory is locked: whoever
 * noted there is dead.
 */
final class PlatformFiles {
    private static final System.Logger LOG = System.getLogger(PlatformFiles.class.getName());
    private static final String ROOT = "com.sun.aas.instanceRoot";
    private static final Pattern NAME = Pattern.compile("payaramicro-rt\\d+tmp");

    private PlatformFiles() {}

    /** Where they are in this process; empty where another server runs it, which looks after its own. */
    static Optional<Path> own() {
        return Optional.ofNullable(System.getProperty(ROOT)).map(Path::of).filter(PlatformFiles::isUnpacked);
    }

    /** Removes those of earlier lives of the node, and notes {@code own}; what cannot be removed is tried again by the next life. */
    static void tidy(Path data, Path own) {
        Path note = data.resolve("run").resolve("platform");
        try {
            List<Path> left = new ArrayList<>(List.of(own));
            for (Path earlier : noted(note)) {
                if (!earlier.equals(own) && !removed(earlier)) {
                    left.add(earlier);
                }
            }
            write(note, left);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "files of an earlier life of this node may stay: {0}", e.toString());
        }
    }

    private static List<Path> noted(Path note) throws IOException {
        try {
            return Files.readAllLines(note).stream()
                    .map(Path::of)
                    .filter(PlatformFiles::isUnpacked)
                    .toList();
        } catch (NoSuchFileException | CharacterCodingException | InvalidPathException nothing) {
            return List.of();
        }
    }

    private static void write(Path note, List<Path> directories) throws IOException {
        Files.createDirectories(note.resolveSibling(""));
        Path whole = note.resolveSibling("platform.tmp");
        Files.write(whole, directories.stream().map(Path::toString).toList());
        Files.move(whole, note, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isUnpacked(Path directory) {
        Path name = directory.getFileName();
        return name != null
                && directory.isAbsolute()
                && NAME.matcher(name.toString()).matches();
    }

    private static boolean removed(Path path) {
        try {
            remove(path);
            return true;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "{0} of an earlier life of this node stays: {1}", path, e.toString());
            return false;
        }
    }

    /** Links are removed, not followed. */
    private static void remove(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                for (Path entry : entries) {
                    remove(entry);
                }
            }
        }
        Files.deleteIfExists(path);
    }
}
