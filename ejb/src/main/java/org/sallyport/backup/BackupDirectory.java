package org.sallyport.backup;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory of the backups. The name of each backup has the time at which it was taken, so that a restart needs no
 * other record of it. Other files in the directory are left alone.
 */
public final class BackupDirectory {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final Pattern NAME = Pattern.compile("sallyport-(\\d{8}T\\d{6}\\.\\d{3}Z)\\.zip");
    private static final String DRAFT_ENDING = ".part";
    /** A backup that is not complete yet, and files that were written to check it. */
    private static final Pattern DRAFT_NAME = Pattern.compile(NAME.pattern() + "\\.part.*");

    private final Path directory;

    /** @param directory is created for the first backup */
    public BackupDirectory(Path directory) {
        this.directory = directory;
    }

    public Path path() {
        return directory;
    }

    /** Returns the complete backups, newest first. */
    public List<BackupFile> list() throws IOException {
        List<BackupFile> found = new ArrayList<>();
        for (Path file : files()) {
            Optional<Instant> takenAt = takenAt(file);
            if (takenAt.isPresent()) {
                addIfPresent(found, file, takenAt.get());
            }
        }
        found.sort(Comparator.comparing(BackupFile::takenAt).reversed());
        return List.copyOf(found);
    }

    private static void addIfPresent(List<BackupFile> found, Path file, Instant takenAt) throws IOException {
        try {
            found.add(new BackupFile(file, takenAt, Files.size(file)));
        } catch (NoSuchFileException e) {
            // A new backup has just deleted this one.
            return;
        }
    }

    /** Returns the newest backup; empty if there is none or the directory cannot be read. */
    public Optional<BackupFile> findNewest() {
        try {
            return list().stream().findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Creates the file in which a new backup is written, and the directory. Backups contain the data of all tenants, so
     * that only the owner may read them, also in a directory that others may enter.
     */
    Path createDraft(Instant takenAt) throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory, permissions("rwx------"));
        }
        deleteDrafts();
        return Files.createFile(directory.resolve(fileName(takenAt) + DRAFT_ENDING), permissions("rw-------"));
    }

    /** Makes a draft a backup, which survives a loss of power. */
    BackupFile complete(Path draft, Instant takenAt) throws IOException {
        Path file = directory.resolve(fileName(takenAt));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        forceNames();
        return new BackupFile(file, takenAt, Files.size(file));
    }

    private void forceNames() {
        try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
            names.force(true);
        } catch (IOException e) {
            // Some file systems cannot do this.
            return;
        }
    }

    /** Deletes drafts and the files that belong to them. */
    void deleteDrafts() throws IOException {
        for (Path file : files()) {
            if (DRAFT_NAME.matcher(String.valueOf(file.getFileName())).matches()) {
                deleteRecursively(file);
            }
        }
    }

    /**
     * Deletes all backups except the {@code kept} newest.
     *
     * @param last the backup that was just taken; those with a later time are from a clock that was wrong, and count as
     *     older
     */
    void deleteOldest(int kept, BackupFile last) throws IOException {
        List<BackupFile> all = new ArrayList<>(list());
        // The sort is stable.
        all.sort(Comparator.comparing(file -> file.takenAt().isAfter(last.takenAt())));
        for (BackupFile old : all.subList(Math.min(kept, all.size()), all.size())) {
            Files.deleteIfExists(old.path());
        }
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            entries.forEach(files::add);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return files;
    }

    private static String fileName(Instant takenAt) {
        return "sallyport-" + TIME.format(takenAt) + ".zip";
    }

    private static Optional<Instant> takenAt(Path file) {
        Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        if (!name.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(TIME.parse(name.group(1), Instant::from));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private FileAttribute<?>[] permissions(String posix) {
        return directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(posix))}
                : new FileAttribute<?>[0];
    }

    private static void deleteRecursively(Path top) throws IOException {
        List<Path> contents;
        try (Stream<Path> files = Files.walk(top)) {
            contents = files.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path file : contents) {
            Files.deleteIfExists(file);
        }
    }
}
