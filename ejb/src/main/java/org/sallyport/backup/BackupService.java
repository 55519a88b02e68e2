package org.sallyport.backup;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.sallyport.backup.BackupException.BackupFailure;

/** Takes backups, one at a time, and deletes the oldest ones. Thread-safe. */
public final class BackupService {
    private static final Logger LOG = System.getLogger(BackupService.class.getName());

    private final Optional<BackupWriter> writer;
    private final BackupDirectory directory;
    private final int maxKept;
    private final InstantSource clock;
    private final ReentrantLock running = new ReentrantLock();
    private volatile Optional<BackupFile> newest;

    /**
     * Deletes the temporary files of a backup during which the process ended.
     *
     * @param writer empty if the database is not a file of this process
     * @param maxKept backups that are kept, at least one
     */
    public BackupService(Optional<BackupWriter> writer, BackupDirectory directory, int maxKept, InstantSource clock) {
        this.writer = writer;
        this.directory = directory;
        this.maxKept = maxKept;
        this.clock = clock;
        this.newest = directory.findNewest();
        if (writer.isPresent()) {
            deleteDrafts();
        }
    }

    /** Returns whether this service can take backups. */
    public boolean isSupported() {
        return writer.isPresent();
    }

    /**
     * Takes a backup and returns it when it is complete.
     *
     * @throws BackupException if there is no new backup
     */
    public BackupFile create() {
        BackupWriter database = writer.orElseThrow(() -> new BackupException(
                BackupFailure.NOT_SUPPORTED,
                "the service backs up only its own H2 file; use the tools of the database, see docs/backup.md"));
        if (!running.tryLock()) {
            throw new BackupException(
                    BackupFailure.RUNNING, "another backup is being taken; try again when it is complete");
        }
        try {
            return create(database);
        } catch (IOException e) {
            throw failed(describe(e), e);
        } catch (RuntimeException e) {
            throw failed(e.toString(), e);
        } finally {
            running.unlock();
        }
    }

    private static BackupException failed(String reason, Exception cause) {
        LOG.log(Level.WARNING, "a backup of the database failed; the earlier backups are unchanged", cause);
        return new BackupException(BackupFailure.FAILED, "the backup failed: " + reason, cause);
    }

    private BackupFile create(BackupWriter database) throws IOException {
        Instant takenAt = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        Path draft = directory.createDraft(takenAt);
        BackupFile file;
        try {
            database.write(draft);
            file = directory.complete(draft, takenAt);
        } finally {
            deleteDrafts();
        }
        newest = Optional.of(file);
        LOG.log(Level.INFO, "the database is backed up to " + file.path() + " (" + file.bytes() + " bytes)");
        deleteOldest(file);
        return file;
    }

    private void deleteDrafts() {
        try {
            directory.deleteDrafts();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "temporary files of a backup could not be deleted; the next backup tries again", e);
        }
    }

    private void deleteOldest(BackupFile last) {
        try {
            directory.deleteOldest(maxKept, last);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "an old backup could not be deleted; the next backup tries again", e);
        }
    }

    /** Returns the newest backup that this service has taken, or found when it was created. */
    public Optional<BackupFile> newest() {
        return newest;
    }

    /**
     * Returns the backups, newest first.
     *
     * @throws BackupException if the directory cannot be read
     */
    public List<BackupFile> list() {
        try {
            return directory.list();
        } catch (IOException e) {
            throw new BackupException(
                    BackupFailure.FAILED, "the directory of the backups cannot be read: " + describe(e), e);
        }
    }

    /** The message of several exceptions for files is only a path, so their names say what happened. */
    private static String describe(IOException failure) {
        return failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }
}
