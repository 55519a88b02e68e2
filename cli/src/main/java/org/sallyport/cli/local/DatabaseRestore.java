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
     * @throws IOException if a process uses the data directory, or a file cannot be written; the database is unchanged
     */
    public RestoreResult restore(Path backup) throws IOException {
        DataDirectory.createPrivately(dataDirectory);
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
        return FileChannel.open(dataDirectory.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private RestoreResult restoreLocked(Path backup) throws IOException {
        Path database = dataDirectory.resolve(DATABASE_FILE);
        Path unpacked = dataDirectory.resolve(DATABASE_FILE + ".restoring");
        String replacedEnding = ".replaced-" + TIME.format(clock.instant());
        try {
            unpack(backup, unpacked);
            Optional<Path> oldBroker = rename(brokerDirectory, replacedEnding);
            Optional<Path> oldDatabase = link(database, replacedEnding);
            Files.move(unpacked, database, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return new RestoreResult(database, oldDatabase, oldBroker);
        } finally {
            Files.deleteIfExists(unpacked);
        }
    }

    private static void unpack(Path backup, Path target) throws IOException {
        if (!Files.isRegularFile(backup)) {
            throw new UnusableBackupException("there is no file " + backup);
        }
        try (ZipFile zip = new ZipFile(backup.toFile())) {
            Optional<? extends ZipEntry> entry = zip.stream()
                    .filter(each -> each.getName().endsWith(FILE_ENDING))
                    .findFirst();
            if (entry.isEmpty()) {
                throw new UnusableBackupException(backup + " has no database");
            }
            unpack(zip, entry.get(), target);
        } catch (ZipException | EOFException e) {
            throw new UnusableBackupException(backup + " is not a complete backup: " + e.getMessage(), e);
        }
        requireDatabase(backup, target);
    }

    private static void unpack(ZipFile zip, ZipEntry entry, Path target) throws IOException {
        CRC32 checksum = new CRC32();
        try (InputStream content = new CheckedInputStream(zip.getInputStream(entry), checksum);
                OutputStream out = Files.newOutputStream(target)) {
            content.transferTo(out);
        }
        if (checksum.getValue() != entry.getCrc()) {
            throw new ZipException("its checksum is wrong");
        }
        try (FileChannel written = FileChannel.open(target, StandardOpenOption.WRITE)) {
            written.force(true);
        }
    }

    private static void requireDatabase(Path backup, Path file) throws IOException {
        try (InputStream content = Files.newInputStream(file)) {
            String start = new String(content.readNBytes(FILE_START.length()), StandardCharsets.US_ASCII);
            if (!start.equals(FILE_START)) {
                throw new UnusableBackupException(backup + " has no database of H2");
            }
        }
    }

    private static Optional<Path> rename(Path file, String ending) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        return Optional.of(Files.move(file, file.resolveSibling(file.getFileName() + ending)));
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
            Files.copy(file, other);
        }
        return Optional.of(other);
    }

    /**
     * The files after a restore.
     *
     * @param replacedDatabase the database before, under its new name; empty if there was none
     * @param replacedBroker the broker's journal before, under its new name; empty if there was none
     */
    public record RestoreResult(Path database, Optional<Path> replacedDatabase, Optional<Path> replacedBroker) {}
}
