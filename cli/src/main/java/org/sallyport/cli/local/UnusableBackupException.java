package org.sallyport.cli.local;

import java.io.IOException;

/** A file is not a complete backup. */
public final class UnusableBackupException extends IOException {
    private static final long serialVersionUID = 1L;

    UnusableBackupException(String message) {
        super(message);
    }

    UnusableBackupException(String message, Throwable cause) {
        super(message, cause);
    }
}
