package org.sallyport.store.jpa;

import org.eclipse.persistence.sessions.DatabaseLogin;
import org.eclipse.persistence.sessions.Session;
import org.eclipse.persistence.sessions.SessionCustomizer;

/**
 * Stops EclipseLink from retrying a read on a broken connection. By default it retries three times with pauses of five
 * seconds, but callers must learn quickly that the database is unavailable.
 */
public final class FailFastCustomizer implements SessionCustomizer {
    @Override
    public void customize(Session session) {
        DatabaseLogin login = (DatabaseLogin) session.getDatasourceLogin();
        login.setQueryRetryAttemptCount(0);
        login.setConnectionHealthValidatedOnError(false);
    }
}
