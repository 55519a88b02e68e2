package org.sallyport.store.jpa;

import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Classifies failures by their SQLSTATE: wrong statement, conflict with other transactions, or unavailable database.
 * Stateless and thread-safe.
 */
final class SqlErrorClassifier {
    private static final String UNIQUE_VIOLATION = "23505";
    /** SQLSTATE class of deadlocks and of transactions that cannot be serialized. */
    private static final String ROLLBACK_CLASS = "40";
    /** SQLSTATE of H2: a statement waited too long for a row that another transaction has inserted or changed. */
    private static final String H2_CONCURRENT_UPDATE = "90131";
    /** The only SQLSTATE of {@link #ROLLBACK_CLASS} whose transaction may be committed. */
    private static final String COMPLETION_UNKNOWN = "40003";

    /** SQLSTATEs of H2: another process uses the file, the user or the password is wrong. */
    private static final Set<String> UNDAMAGED_STATES = Set.of("90020", "28000");

    private SqlErrorClassifier() {}

    /**
     * Returns {@code failure} in the form that callers of the store receive: {@link StoreUnavailableException} if the
     * database is unavailable, otherwise {@code failure} itself.
     *
     * @param committing whether the transaction had begun to commit, so that it may be stored
     */
    static RuntimeException translate(RuntimeException failure, boolean committing) {
        if (failure instanceof StoreUnavailableException) {
            return failure;
        }
        return findSqlException(failure)
                .filter(SqlErrorClassifier::isUnavailable)
                .<RuntimeException>map(e -> toUnavailable(e, failure, committing && !isContention(e)))
                .orElse(failure);
    }

    /**
     * @param maybeStored whether the database may have stored a write, see
     *     {@link StoreUnavailableException#maybeStored()}
     */
    static StoreUnavailableException toUnavailable(SQLException reason, Throwable failure, boolean maybeStored) {
        String state = reason.getSQLState() == null ? "" : " (" + reason.getSQLState() + ")";
        return new StoreUnavailableException(
                "the database does not answer" + state + ": " + reason.getMessage(), failure, maybeStored);
    }

    /** Whether a unique constraint refused a row. */
    static boolean isDuplicate(RuntimeException failure) {
        return findSqlException(failure)
                .map(e -> UNIQUE_VIOLATION.equals(e.getSQLState()))
                .orElse(false);
    }

    /** Whether the file of an H2 database that could not be opened may be damaged. */
    static boolean mayBeDamaged(RuntimeException failure) {
        return findSqlException(failure)
                .filter(SqlErrorClassifier::isUnavailable)
                .filter(e -> e.getSQLState() == null || !UNDAMAGED_STATES.contains(e.getSQLState()))
                .isPresent();
    }

    /**
     * Whether other transactions caused the failure, so that a retry may well succeed. The failed transaction is not
     * stored.
     */
    static boolean isContention(RuntimeException failure) {
        return findSqlException(failure).map(SqlErrorClassifier::isContention).orElse(false);
    }

    private static boolean isContention(SQLException e) {
        String state = e.getSQLState();
        return isLockTimeout(e)
                || H2_CONCURRENT_UPDATE.equals(state)
                || state != null && state.startsWith(ROLLBACK_CLASS) && !state.equals(COMPLETION_UNKNOWN);
    }

    /** Whether another transaction held a lock for too long. */
    static boolean isLockTimeout(RuntimeException failure) {
        return findSqlException(failure).map(SqlErrorClassifier::isLockTimeout).orElse(false);
    }

    private static boolean isLockTimeout(SQLException e) {
        return "55P03".equals(e.getSQLState()) || "HYT00".equals(e.getSQLState());
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
