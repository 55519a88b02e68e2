package org.sallyport.store;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import java.util.Set;

/**
 * Drops connections to an H2 database that has closed itself, as it does when its disk is full: the first new one opens it
 * again. Connections in steady use are never asked whether they are still good.
 */
final class ClosedH2Detector implements SQLExceptionOverride {
    /** SQLSTATEs of H2: it is closed, it is closing, the connection is broken. */
    private static final Set<String> CLOSED_STATES = Set.of("90098", "90121", "90067");

    @java.lang.Override
    public Override adjudicate(SQLException failure) {
        return failure.getSQLState() != null && CLOSED_STATES.contains(failure.getSQLState())
                ? Override.MUST_EVICT
                : Override.CONTINUE_EVICT;
    }
}
