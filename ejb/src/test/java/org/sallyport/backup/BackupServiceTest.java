package org.sallyport.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.backup.BackupException.BackupFailure;

class BackupServiceTest {
    private static final BackupWriter COPY = file -> Files.writeString(file, "copy");

    private Instant now = Instant.parse("2026-06-08T15:00:45.227456Z");

    @TempDir
    Path parent;

    private Path directory = Path.of("");

    @BeforeEach
    void setDirectory() {
        directory = parent.resolve("data/backups");
    }

    private BackupService service(BackupWriter writer) {
        return new BackupService(Optional.of(writer), new BackupDirectory(directory), 2, () -> now);
    }

    private List<String> fileNames() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    private static void assertFails(BackupService service, BackupFailure failure) {
        assertThatThrownBy(service::create)
                .asInstanceOf(InstanceOfAssertFactories.type(BackupException.class))
                .extracting(BackupException::failure)
                .isEqualTo(failure);
    }

    @Test
    void newestBackupsAreKeptAndListed() throws IOException {
        BackupService service = service(COPY);
        service.create();
        Files.writeString(directory.resolve("notes.txt"), "not a backup");
        for (int day = 0; day < 2; day++) {
            now = now.plus(Duration.ofDays(1));
            service.create();
        }

        assertThat(fileNames())
                .containsExactly(
                        "notes.txt", "sallyport-20260609T150045.227Z.zip", "sallyport-20260610T150045.227Z.zip");
        assertThat(service.list())
                .extracting(BackupFile::takenAt)
                .containsExactly(Instant.parse("2026-06-10T15:00:45.227Z"), Instant.parse("2026-06-09T15:00:45.227Z"));
        assertThat(service.list().get(0).bytes()).isEqualTo(4);
    }

    @Test
    void onlyTheOwnerMayEnterTheDirectory() throws IOException {
        service(COPY).create();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
    }

    @Test
    void onlyTheOwnerMayReadABackupInADirectoryOfAllUsers() throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));

        Path backup = service(COPY).create().path();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(backup)))
                .isEqualTo("rw-------");
    }

    @Test
    void backupsWithTheTimeOfAWrongClockAreTheFirstToBeDeleted() throws IOException {
        Files.createDirectories(directory);
        for (String name : List.of("sallyport-20270101T000000.000Z.zip", "sallyport-20270102T000000.000Z.zip")) {
            Files.writeString(directory.resolve(name), "copy");
        }

        BackupService service = service(COPY);
        service.create();
        assertThat(fileNames())
                .containsExactly("sallyport-20260608T150045.227Z.zip", "sallyport-20270102T000000.000Z.zip");
        now = now.plusSeconds(1);
        service.create();
        assertThat(fileNames())
                .containsExactly("sallyport-20260608T150045.227Z.zip", "sallyport-20260608T150046.227Z.zip");
    }

    @Test
    void failureNamesTheFileAndTheReason() throws IOException {
        Files.createDirectory(parent.resolve("data"));
        Files.writeString(directory, "a file");
        BackupService service = service(COPY);

        assertThatThrownBy(service::create).hasMessage("the backup failed: FileAlreadyExistsException: " + directory);
        assertThatThrownBy(service::list).hasMessageEndingWith(": NotDirectoryException: " + directory);
    }

    @Test
    void failedBackupLeavesOnlyTheEarlierOnes() throws IOException {
        BackupFile earlier = service(COPY).create();
        now = now.plusSeconds(1);
        BackupService failing = service(file -> {
            Files.writeString(file, "half");
            Path check = Files.createDirectory(file.resolveSibling(file.getFileName() + ".check"));
            Files.writeString(check.resolve("db"), "half");
            throw new IOException("the disk is full");
        });

        assertFails(failing, BackupFailure.FAILED);
        assertThat(fileNames()).containsExactly(earlier.name());
        assertThat(failing.newest()).contains(earlier);
    }

    /** Writes what a process leaves that ends during a backup. */
    private void interruptBackup() throws IOException {
        String interrupted = "sallyport-20260607T000000.000Z.zip.part";
        Files.createDirectories(directory.resolve(interrupted + ".check"));
        Files.writeString(directory.resolve(interrupted + ".check").resolve("db"), "half");
        Files.writeString(directory.resolve(interrupted), "half");
    }

    @Test
    void startDeletesTheFilesOfAnInterruptedBackup() throws IOException {
        interruptBackup();

        assertThat(service(COPY).newest()).isEmpty();

        assertThat(fileNames()).isEmpty();
    }

    @Test
    void nextBackupDeletesTheFilesOfAnInterruptedOne() throws IOException {
        BackupService service = service(COPY);
        interruptBackup();

        BackupFile backup = service.create();

        assertThat(fileNames()).containsExactly(backup.name());
    }

    @Test
    void secondBackupAtTheSameTimeIsRefused() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        BackupService service = service(file -> {
            begun.countDown();
            await(released);
            Files.writeString(file, "copy");
        });
        CompletableFuture<BackupFile> first = CompletableFuture.supplyAsync(service::create);
        await(begun);

        assertFails(service, BackupFailure.RUNNING);
        released.countDown();
        assertThat(service.list()).isSubsetOf(first.get(60, TimeUnit.SECONDS));
        assertThat(service.newest()).isEqualTo(Optional.of(first.get()));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void databaseElsewhereIsNotBackedUp() {
        BackupService service = new BackupService(Optional.empty(), new BackupDirectory(directory), 2, () -> now);

        assertFails(service, BackupFailure.NOT_SUPPORTED);
        assertThat(service.isSupported()).isFalse();
        assertThat(service.list()).isEmpty();
        assertThat(directory).doesNotExist();
    }
}
