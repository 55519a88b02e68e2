package org.sallyport.backup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupSchedulerTest {
    private static final Duration DAY = Duration.ofDays(1);

    private Instant now = Instant.parse("2026-06-08T15:00:45Z");
    private boolean diskIsFull;
    private int attempts;

    @TempDir
    Path directory;

    private BackupScheduler scheduler(Duration interval) {
        BackupService service = new BackupService(
                Optional.of(this::write), new BackupDirectory(directory.resolve("backups")), 7, () -> now);
        return new BackupScheduler(service, interval, () -> now);
    }

    private void write(Path file) throws IOException {
        attempts++;
        if (diskIsFull) {
            throw new IOException("the disk is full");
        }
        Files.writeString(file, "copy");
    }

    private void pollAfter(BackupScheduler scheduler, Duration passed) {
        now = now.plus(passed);
        scheduler.poll();
    }

    @Test
    void backupIsTakenAfterEachInterval() {
        BackupScheduler scheduler = scheduler(DAY);
        scheduler.poll();
        pollAfter(scheduler, Duration.ofMinutes(9));
        assertThat(attempts).as("the service has just started").isZero();
        pollAfter(scheduler, Duration.ofMinutes(1));
        assertThat(attempts).isEqualTo(1);
        pollAfter(scheduler, DAY.minusSeconds(1));
        assertThat(attempts).isEqualTo(1);
        pollAfter(scheduler, Duration.ofSeconds(1));
        assertThat(attempts).isEqualTo(2);
    }

    @Test
    void backupBeforeARestartCounts() {
        BackupScheduler first = scheduler(DAY);
        pollAfter(first, Duration.ofMinutes(10));
        BackupScheduler second = scheduler(DAY);
        pollAfter(second, DAY.minusSeconds(1));
        assertThat(attempts).isEqualTo(1);
        pollAfter(second, Duration.ofSeconds(1));
        assertThat(attempts).isEqualTo(2);
    }

    @Test
    void backupWithTheTimeOfAWrongClockDoesNotCount() throws IOException {
        Path backups = Files.createDirectory(directory.resolve("backups"));
        Files.writeString(backups.resolve("sallyport-20270608T150045.000Z.zip"), "copy");
        BackupScheduler scheduler = scheduler(DAY);
        pollAfter(scheduler, Duration.ofMinutes(10));
        assertThat(attempts).isEqualTo(1);
        pollAfter(scheduler, DAY.minusSeconds(1));
        assertThat(attempts).isEqualTo(1);
    }

    @Test
    void failedBackupIsRepeatedAfterAnHour() {
        diskIsFull = true;
        BackupScheduler scheduler = scheduler(DAY);
        pollAfter(scheduler, DAY);
        pollAfter(scheduler, Duration.ofMinutes(59));
        assertThat(attempts).isEqualTo(1);
        diskIsFull = false;
        pollAfter(scheduler, Duration.ofMinutes(1));
        assertThat(attempts).isEqualTo(2);
        pollAfter(scheduler, Duration.ofHours(1));
        assertThat(attempts).isEqualTo(2);
    }

    @Test
    void shortIntervalShortensTheDelays() {
        diskIsFull = true;
        BackupScheduler scheduler = scheduler(Duration.ofSeconds(1));
        pollAfter(scheduler, Duration.ofSeconds(1));
        pollAfter(scheduler, Duration.ofSeconds(1));
        assertThat(attempts).isEqualTo(2);
    }
}
