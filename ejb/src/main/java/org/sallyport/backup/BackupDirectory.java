package org.sallyport.backup;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

    /** Returns the file in which a new backup is written, and creates the directory for it. */
    Path createDraft(Instant takenAt) throws IOException {
        createPrivately();
        deleteDrafts();
        return directory.resolve(fileName(takenAt) + DRAFT_ENDING);
    }

    /** Makes a draft a backup. */
    BackupFile complete(Path draft, Instant takenAt) throws IOException {
        Path file = directory.resolve(fileName(takenAt));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        return new BackupFile(file, takenAt, Files.size(file));
    }

    /** Deletes drafts and the files that belong to them. */
    void deleteDrafts() throws IOException {
        for (Path file : files()) {
            if (DRAFT_NAME.matcher(String.valueOf(file.getFileName())).matches()) {
                deleteRecursively(file);
            }
        }
    }

    /** Deletes all backups except the {@code kept} newest. */
    void deleteOldest(int kept) throws IOException {
        List<BackupFile> all = list();
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

    /** Backups contain the data of all tenants, so only the owner may enter the directory. */
    private void createPrivately() throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        FileAttribute<?>[] ownerOnly =
                directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                        }
                        : new FileAttribute<?>[0];
        Files.createDirectories(directory, ownerOnly);
    }

    private static void deleteRecursively(Path top) throws IOException {
        List<Path> contents;
        try (Stream<Path> files = Files.walk(top)) {
            contents = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : contents) {
            Files.deleteIfExists(file);
        }
    }
}
