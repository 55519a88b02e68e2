package org.sallyport.store.jpa;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import java.util.Set;

/**
 * Makes the pool drop connections to an H2 database that has closed itself, which it does when its disk is full. The
 * first new connection opens the database again. Without this class such connections would stay, because the pool does
 * not validate connections in steady use. The process ends instead if H2 has run out of memory or its store has
 * panicked.
 */
final class ClosedH2Detector implements SQLExceptionOverride {
    /** SQLSTATEs of H2: the database is closed, the database is closing, the connection is broken. */
    private static final Set<String> CLOSED_STATES = Set.of("90098", "90121", "90067");

    @java.lang.Override
    public Override adjudicate(SQLException failure) {
        H2PanicDetector.exitAfterPanic(failure);
        return failure.getSQLState() != null && CLOSED_STATES.contains(failure.getSQLState())
                ? Override.MUST_EVICT
                : Override.CONTINUE_EVICT;
    }
}
