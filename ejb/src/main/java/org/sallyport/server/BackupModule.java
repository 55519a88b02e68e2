package org.sallyport.server;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.sallyport.backup.BackupDirectory;
import org.sallyport.backup.BackupScheduler;
import org.sallyport.backup.BackupService;
import org.sallyport.configuration.BackupSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.store.jpa.Database;

/** Creates the backups of an embedded database. */
final class BackupModule {
    private static final Duration MAX_POLL_INTERVAL = Duration.ofMinutes(1);

    private BackupModule() {}

    /** Creates the service, and the thread that takes backups by the configured interval. */
    static BackupService open(
            Configuration configuration,
            Path data,
            Database database,
            InstantSource clock,
            ServerExecutors threads,
            ShutdownSequence shutdown) {
        BackupService backups = new BackupService(
                database.backupWriter(),
                directory(configuration, data),
                configuration.getInt(BackupSettings.MAX_KEPT),
                clock);
        Duration interval = configuration.get(BackupSettings.INTERVAL);
        if (backups.isSupported() && !interval.isZero()) {
            BackupScheduler scheduler = new BackupScheduler(backups, interval, clock);
            Duration pause = interval.compareTo(MAX_POLL_INTERVAL) < 0 ? interval : MAX_POLL_INTERVAL;
            shutdown.register("backups", new PeriodicTask(threads, "sallyport-backup", scheduler::poll, pause));
        }
        return backups;
    }

    private static BackupDirectory directory(Configuration configuration, Path data) {
        return new BackupDirectory(data.resolve(configuration.get(BackupSettings.DIRECTORY)));
    }

    /**
     * Adds the newest backup to the message of a database in the data directory that could not be opened, unless the
     * failure has another cause than a damaged file.
     */
    static RuntimeException withNewestBackup(RuntimeException failure, Configuration configuration, Path data) {
        if (!Database.mayBeDamaged(failure)) {
            return failure;
        }
        BackupDirectory directory = directory(configuration, data);
        String advice = directory
                .findNewest()
                .map(newest -> "the newest backup was taken at " + newest.takenAt()
                        + "; if the file is damaged, run: sallyport restore " + newest.path())
                .orElseGet(() -> "there is no backup in " + directory.path());
        return new StoreUnavailableException(failure.getMessage() + "; " + advice + " (see docs/backup.md)", failure);
    }
}
