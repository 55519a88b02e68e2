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
 * @param leastFree bytes that must be free on the disk of an embedded H2 database for something new to be taken
 * @param tls how connections are encrypted; empty: as the URL says
 */
public record DatabaseSettings(
        String url,
        String user,
        String password,
        int poolSize,
        Duration connectTimeout,
        long leastFree,
        Optional<DatabaseTls> tls) {

    /** As the URL says of encryption. */
    public DatabaseSettings(
            String url, String user, String password, int poolSize, Duration connectTimeout, long leastFree) {
        this(url, user, password, poolSize, connectTimeout, leastFree, Optional.empty());
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "DatabaseSettings[url=" + JdbcUrl.printable(url) + ", user=" + user + ", poolSize=" + poolSize
                + ", connectTimeout=" + connectTimeout + "]";
    }
}
