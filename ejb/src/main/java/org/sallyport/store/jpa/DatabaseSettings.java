package org.sallyport.store.jpa;

import java.time.Duration;
import java.util.Optional;

/**
 * How to connect to the database.
 *
 * @param url JDBC URL of H2 or PostgreSQL
 * @param user user name
 * @param password password; may be empty
 * @param poolSize maximum number of connections
 * @param connectTimeout how long a call waits for a connection, and then for each answer (rounded up to whole seconds
 *     on PostgreSQL), before the database counts as unavailable
 * @param minFreeBytes bytes that must be free on the disk of an embedded H2 database for the service to accept new work
 * @param tls how connections are encrypted; if empty, the URL decides
 * @param rowSecurity whether PostgreSQL also separates the rows of tenants
 */
public record DatabaseSettings(
        String url,
        String user,
        String password,
        int poolSize,
        Duration connectTimeout,
        long minFreeBytes,
        Optional<DatabaseTls> tls,
        RowSecurityMode rowSecurity) {

    /**
     * Selects whether the service uses row-level security, and how it reacts if its database user may not set it up. H2
     * has no row-level security.
     */
    public enum RowSecurityMode {
        /** The service does not use row-level security. */
        OFF,
        /** The service uses row-level security if it can set it up, and otherwise logs that it cannot. */
        AUTO,
        /** The service does not start without row-level security. */
        REQUIRED
    }

    /** Creates settings with encryption as in the URL and row-level security {@link RowSecurityMode#AUTO}. */
    public DatabaseSettings(
            String url, String user, String password, int poolSize, Duration connectTimeout, long minFreeBytes) {
        this(url, user, password, poolSize, connectTimeout, minFreeBytes, Optional.empty(), RowSecurityMode.AUTO);
    }

    /** Returns the settings without the password. */
    @Override
    public String toString() {
        return "DatabaseSettings[url=" + JdbcUrl.printable(url) + ", user=" + user + ", poolSize=" + poolSize
                + ", connectTimeout=" + connectTimeout + "]";
    }
}
