package org.sallyport.backup;

/** A backup was not taken. The earlier backups are unchanged. */
public final class BackupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final BackupFailure failure;

    /** Why there is no backup. */
    public enum BackupFailure {
        /** The database is not a file of this process. */
        NOT_SUPPORTED,
        /** Another backup is being taken. */
        RUNNING,
        /** The copy could not be written, or not be read again. */
        FAILED
    }

    BackupException(BackupFailure failure, String message) {
        super(message);
        this.failure = failure;
    }

    BackupException(BackupFailure failure, String message, Throwable cause) {
        super(message, cause);
        this.failure = failure;
    }

    public BackupFailure failure() {
        return failure;
    }
}
