package org.sallyport.cli.local;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Replaces the database file of a data directory by a backup, while no process uses the directory. Deletes nothing: the
 * present database and the broker's journal get other names. A crash at any point leaves the old database or the new.
 */
public final class DatabaseRestore {
    private static final String FILE_ENDING = ".mv.db";
    private static final String DATABASE_FILE = "sallyport" + FILE_ENDING;
    /** The first bytes of each file of H2. */
    private static final String FILE_START = "H:2,";

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Path dataDirectory;
    private final Path brokerDirectory;
    private final InstantSource clock;

    /** @param brokerDirectory directory of the embedded broker's journal; may not exist */
    public DatabaseRestore(Path dataDirectory, Path brokerDirectory, InstantSource clock) {
        this.dataDirectory = dataDirectory;
        this.brokerDirectory = brokerDirectory;
        this.clock = clock;
    }

    /**
     * Replaces the database.
     *
     * @throws UnusableBackupException if {@code backup} is not a complete backup
     * @throws IOException if a process uses the data directory, or a file cannot be written; the database and the
     *     broker's journal are unchanged
     */
    public RestoreResult restore(Path backup) throws IOException {
        try {
            DataDirectory.createPrivately(dataDirectory);
        } catch (IOException e) {
            throw new IOException(
                    "the data directory " + dataDirectory + " cannot be used: " + FileFailure.describe(e), e);
        }
        // The first lock keeps 'sallyport up' waiting, the service holds the second.
        try (FileChannel start = openLock("server.lock");
                FileChannel service = openLock("node.lock")) {
            if (!LocalServer.tryLock(start) || !LocalServer.tryLock(service)) {
                throw new IOException("another process uses the data directory " + dataDirectory);
            }
            return restoreLocked(backup);
        }
    }

    private FileChannel openLock(String name) throws IOException {
        Path lock = dataDirectory.resolve(name);
        try {
            return FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new IOException("the data directory cannot be locked: " + FileFailure.describe(e), e);
        }
    }

    private RestoreResult restoreLocked(Path backup) throws IOException {
        Path unpacked = dataDirectory.resolve(DATABASE_FILE + ".restoring");
        try {
            unpack(backup, unpacked);
            return replaceBy(unpacked);
        } catch (IOException e) {
            try {
                Files.deleteIfExists(unpacked);
            } catch (IOException undeleted) {
                e.addSuppressed(undeleted);
            }
            throw e;
        }
    }

    private RestoreResult replaceBy(Path unpacked) throws IOException {
        Path database = dataDirectory.resolve(DATABASE_FILE);
        String replacedEnding = ".replaced-" + TIME.format(clock.instant());
        Optional<Path> oldBroker = renameBroker(replacedEnding);
        Optional<Path> oldDatabase = Optional.empty();
        try {
            oldDatabase = link(database, replacedEnding);
            Files.move(unpacked, database, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            undo(oldBroker, oldDatabase, e);
            throw new IOException(database + " cannot be replaced: " + FileFailure.describe(e), e);
        }
        forceDirectory(dataDirectory);
        return new RestoreResult(database, oldDatabase, oldBroker);
    }

    /** Gives the broker's journal its name back. The database still has its name. */
    private void undo(Optional<Path> oldBroker, Optional<Path> oldDatabase, IOException failure) {
        try {
            if (oldBroker.isPresent()) {
                Files.move(oldBroker.get(), brokerDirectory);
            }
            if (oldDatabase.isPresent()) {
                Files.delete(oldDatabase.get());
            }
        } catch (IOException e) {
            // The service starts without the broker's journal, too.
            failure.addSuppressed(e);
        }
    }

    private static void unpack(Path backup, Path target) throws IOException {
        if (!Files.isRegularFile(backup)) {
            throw new UnusableBackupException("there is no file " + backup);
        }
        boolean found;
        try (ZipFile zip = new ZipFile(backup.toFile())) {
            found = unpackDatabase(zip, target);
        } catch (ZipException | EOFException e) {
            throw new UnusableBackupException(backup + " is not a complete backup: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(backup + " cannot be unpacked to " + target + ": " + FileFailure.describe(e), e);
        }
        if (!found) {
            throw new UnusableBackupException(backup + " has no database");
        }
        requireDatabase(backup, target);
    }

    /** Returns whether there is a database. */
    private static boolean unpackDatabase(ZipFile zip, Path target) throws IOException {
        Optional<? extends ZipEntry> entry = zip.stream()
                .filter(each -> each.getName().endsWith(FILE_ENDING))
                .findFirst();
        if (entry.isEmpty()) {
            return false;
        }
        CRC32 checksum = new CRC32();
        try (InputStream content = new CheckedInputStream(zip.getInputStream(entry.get()), checksum);
                OutputStream out = Files.newOutputStream(target)) {
            content.transferTo(out);
        }
        if (checksum.getValue() != entry.get().getCrc()) {
            throw new ZipException("its checksum is wrong");
        }
        force(target);
        return true;
    }

    private static void requireDatabase(Path backup, Path file) throws IOException {
        try (InputStream content = Files.newInputStream(file)) {
            String start = new String(content.readNBytes(FILE_START.length()), StandardCharsets.US_ASCII);
            if (!start.equals(FILE_START)) {
                throw new UnusableBackupException(backup + " has no database of H2");
            }
        }
    }

    private Optional<Path> renameBroker(String ending) throws IOException {
        if (isMissingOrEmpty(brokerDirectory)) {
            return Optional.empty();
        }
        Path other = brokerDirectory.resolveSibling(brokerDirectory.getFileName() + ending);
        try {
            return Optional.of(Files.move(brokerDirectory, other, StandardCopyOption.ATOMIC_MOVE));
        } catch (IOException e) {
            throw new IOException(
                    "the journal of the broker cannot be renamed: " + FileFailure.describe(e) + "; move the files in "
                            + brokerDirectory + " to another directory and try again",
                    e);
        }
    }

    /** An empty directory may be the root of a file system, which cannot be renamed. */
    private static boolean isMissingOrEmpty(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return !Files.exists(directory);
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        }
    }

    /** Gives a file a second name. There is a database under the first name at each moment. */
    private static Optional<Path> link(Path file, String ending) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Path other = file.resolveSibling(file.getFileName() + ending);
        try {
            Files.createLink(other, file);
        } catch (UnsupportedOperationException | FileSystemException e) {
            // The file system has no hard links.
            copy(file, other);
        }
        return Optional.of(other);
    }

    /** Leaves no part of a copy. */
    private static void copy(Path file, Path target) throws IOException {
        Files.createFile(target);
        try {
            Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
            force(target);
        } catch (IOException e) {
            Files.deleteIfExists(target);
            throw e;
        }
    }

    private static void force(Path file) throws IOException {
        try (FileChannel written = FileChannel.open(file, StandardOpenOption.WRITE)) {
            written.force(true);
        }
    }

    /** Without this, a loss of power could bring the old names back. */
    private static void forceDirectory(Path directory) {
        try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
            names.force(true);
        } catch (IOException e) {
            // Some file systems cannot do this. Either name is that of a whole database.
            return;
        }
    }

    /**
     * The files after a restore.
     *
     * @param replacedDatabase the database before, under its new name; empty if there was none
     * @param replacedBroker the broker's journal before, under its new name; empty if there was none
     */
    public record RestoreResult(Path database, Optional<Path> replacedDatabase, Optional<Path> replacedBroker) {}
}
