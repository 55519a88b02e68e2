package org.sallyport.backup;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Takes a backup when the newest one is older than an interval. Waits for ten minutes after a start, which needs the
 * processor, and for an hour after a failure, unless the interval is shorter. One thread polls it.
 */
public final class BackupScheduler {
    private static final Duration START_DELAY = Duration.ofMinutes(10);
    private static final Duration RETRY_DELAY = Duration.ofHours(1);

    private final BackupService backups;
    private final Duration interval;
    private final InstantSource clock;
    private Instant earliest;

    public BackupScheduler(BackupService backups, Duration interval, InstantSource clock) {
        this.backups = backups;
        this.interval = interval;
        this.clock = clock;
        this.earliest = clock.instant().plus(atMostInterval(START_DELAY));
    }

    private Duration atMostInterval(Duration delay) {
        return delay.compareTo(interval) < 0 ? delay : interval;
    }

    /** Takes a backup if it is due. The service logs a failure. */
    public void poll() {
        Instant now = clock.instant();
        if (now.isBefore(earliest) || now.isBefore(dueAt(now))) {
            return;
        }
        try {
            backups.create();
        } catch (BackupException e) {
            earliest = now.plus(atMostInterval(RETRY_DELAY));
        }
    }

    private Instant dueAt(Instant now) {
        return backups.newest()
                .map(BackupFile::takenAt)
                // The clock may have been wrong.
                .filter(takenAt -> !takenAt.isAfter(now))
                .map(takenAt -> takenAt.plus(interval))
                .orElse(Instant.MIN);
    }
}
