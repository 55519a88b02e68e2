package org.sallyport.store.jpa;

import java.sql.SQLException;
import java.util.Optional;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Classifies failures by their SQLSTATE: wrong statement, conflict with other transactions, or unavailable database.
 * Stateless and thread-safe.
 */
final class SqlErrorClassifier {
    private static final String UNIQUE_VIOLATION = "23505";
    /** SQLSTATE class of deadlocks and of transactions that cannot be serialized. */
    private static final String ROLLBACK_CLASS = "40";

    private SqlErrorClassifier() {}

    /**
     * Returns {@code failure} in the form that callers of the store receive: {@link StoreUnavailableException} if the
     * database is unavailable, otherwise {@code failure} itself.
     */
    static RuntimeException translate(RuntimeException failure) {
        if (failure instanceof StoreUnavailableException) {
            return failure;
        }
        return findSqlException(failure)
                .filter(SqlErrorClassifier::isUnavailable)
                .<RuntimeException>map(e -> toUnavailable(e, failure))
                .orElse(failure);
    }

    static StoreUnavailableException toUnavailable(SQLException reason, Throwable failure) {
        String state = reason.getSQLState() == null ? "" : " (" + reason.getSQLState() + ")";
        return new StoreUnavailableException(
                "the database does not answer" + state + ": " + reason.getMessage(), failure);
    }

    /** Whether a unique constraint refused a row. */
    static boolean isDuplicate(RuntimeException failure) {
        return findSqlException(failure)
                .map(e -> UNIQUE_VIOLATION.equals(e.getSQLState()))
                .orElse(false);
    }

    /** Whether other transactions caused the failure, so that a retry may well succeed. */
    static boolean isContention(RuntimeException failure) {
        return isLockTimeout(failure)
                || findSqlException(failure)
                        .map(e -> e.getSQLState() != null && e.getSQLState().startsWith(ROLLBACK_CLASS))
                        .orElse(false);
    }

    /** Whether another transaction held a lock for too long. */
    static boolean isLockTimeout(RuntimeException failure) {
        return findSqlException(failure)
                .map(e -> "55P03".equals(e.getSQLState()) || "HYT00".equals(e.getSQLState()))
                .orElse(false);
    }

    private static Optional<SQLException> findSqlException(Throwable failure) {
        SQLException found = null;
        int depth = 0;
        for (Throwable t = failure; t != null && depth < 20; t = t.getCause(), depth++) {
            if (t instanceof SQLException sql) {
                found = deepest(sql);
            }
        }
        return Optional.ofNullable(found);
    }

    /** Drivers keep the reason of a failed batch in the chain of next exceptions. */
    private static SQLException deepest(SQLException first) {
        SQLException last = first;
        while (last.getNextException() != null && last.getSQLState() == null) {
            last = last.getNextException();
        }
        return last;
    }

    /**
     * Whether the SQLSTATE is missing, or means neither wrong data (22), nor a violated constraint (23), nor a wrong
     * statement (42), nor a missing feature (0A).
     */
    private static boolean isUnavailable(SQLException e) {
        String state = e.getSQLState();
        return state == null
                || !(state.startsWith("22")
                        || state.startsWith("23")
                        || state.startsWith("42")
                        || state.startsWith("0A"));
    }
}
