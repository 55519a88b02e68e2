package org.sallyport.store;

import org.eclipse.persistence.sessions.DatabaseLogin;
import org.eclipse.persistence.sessions.Session;
import org.eclipse.persistence.sessions.SessionCustomizer;

/**
 * Keeps EclipseLink from repeating a read on a broken connection, which it does three times with five seconds of sleep
 * between: callers are to hear within moments that the database is down.
 */
public final class FailFastCustomizer implements SessionCustomizer {
    @Override
    public void customize(Session session) {
        DatabaseLogin login = (DatabaseLogin) session.getDatasourceLogin();
        login.setQueryRetryAttemptCount(0);
        login.setConnectionHealthValidatedOnError(false);
    }
}
