package org.sallyport.store;

import java.time.Duration;
import java.util.Optional;

/**
 * Where the database is.
 *
 * @param url JDBC URL of H2 or PostgreSQL
 * @param user user name
 * @param password password; may be empty
 * @param poolSize connections at most
 * @param connectTimeout how long a call waits for a connection, and then for each answer (rounded up to whole seconds on
 *     PostgreSQL), before the database counts as down
 * @param minFreeBytes bytes that must be free on the disk of an embedded H2 database for something new to be taken
 * @param tls how connections are encrypted; empty: as the URL says
 * @param rowSecurity whether PostgreSQL keeps tenants' rows apart as well
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

    /** What is done where the service's user may not set up row-level security. H2 has none. */
    public enum RowSecurityMode {
        /** Not used. */
        OFF,
        /** Used where it can be; said in the log where it cannot. */
        AUTO,
        /** The service does not start without. */
        REQUIRED
    }

    /** As the URL says of encryption; row-level security where it can be had. */
    public DatabaseSettings(
            String url, String user, String password, int poolSize, Duration connectTimeout, long minFreeBytes) {
        this(url, user, password, poolSize, connectTimeout, minFreeBytes, Optional.empty(), RowSecurityMode.AUTO);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "DatabaseSettings[url=" + JdbcUrl.printable(url) + ", user=" + user + ", poolSize=" + poolSize
                + ", connectTimeout=" + connectTimeout + "]";
    }
}
