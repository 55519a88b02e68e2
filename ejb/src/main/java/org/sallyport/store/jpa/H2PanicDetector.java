package org.sallyport.store.jpa;

import java.io.IOException;
import java.sql.SQLException;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStoreException;
import org.sallyport.memory.FatalErrorExit;

/**
 * Ends the process after a failure that leaves an open H2 database in an unknown state: H2 has run out of memory, or
 * its store has closed itself because of an internal error. Full disks and files that cannot be read are no such
 * failures: the database recovers from the first, and the second would only be met again. Stateless and thread-safe.
 */
final class H2PanicDetector {
    /** SQLSTATE of H2: out of memory. */
    private static final String OUT_OF_MEMORY = "90108";

    private static final int MAX_DEPTH = 20;

    private H2PanicDetector() {}

    /** Ends the process if the failure of a statement or of a commit is a panic. */
    static void exitAfterPanic(Throwable failure) {
        if (isPanic(failure)) {
            FatalErrorExit.exit(failure);
        }
    }

    /** @param failure the failure of an access to a database that was open */
    static boolean isPanic(Throwable failure) {
        return FatalErrorExit.isOutOfMemory(failure) || isInternalError(failure);
    }

    private static boolean isInternalError(Throwable failure) {
        boolean internal = false;
        Throwable t = failure;
        for (int depth = 0; t != null && depth < MAX_DEPTH; depth++) {
            if (t instanceof IOException) {
                return false;
            } else if (t instanceof SQLException sql && OUT_OF_MEMORY.equals(sql.getSQLState())) {
                return true;
            } else if (t instanceof MVStoreException store) {
                if (store.getErrorCode() != DataUtils.ERROR_INTERNAL) {
                    return false;
                }
                internal = true;
            }
            t = t.getCause();
        }
        return internal;
    }
}
