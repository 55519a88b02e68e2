package org.sallyport.configuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Settings of the backups of an embedded H2 database. */
public final class BackupSettings {
    private static final long DAY = 24L * 60 * 60_000;

    public static final Setting<Duration> INTERVAL = Setting.millis(
            "sallyport.backup.interval-millis",
            0,
            365 * DAY,
            DAY,
            "Time between two backups of an embedded H2 database; other databases are not backed up. 0: only on"
                    + " request. See docs/backup.md.");
    public static final Setting<Path> DIRECTORY = Setting.path(
            "sallyport.backup.directory",
            "backups",
            "Directory of the backups, which no other service uses; a relative path is below the data directory.");
    public static final Setting<Long> MAX_KEPT = Setting.number(
            "sallyport.backup.keep",
            1,
            1_000,
            7,
            "Backups that are kept, also of those on request; each new one deletes the oldest beyond.");

    static final List<Setting<?>> ALL = List.of(INTERVAL, DIRECTORY, MAX_KEPT);

    private BackupSettings() {}
}
