package org.sallyport.it.harness;

import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server behind a proxy that can lose commits. It ends with this JVM.
 *
 * @param database the server, which tests may suspend
 * @param proxy loses commits of the service that was {@linkplain #configure set up}
 */
public record LossyPostgreSql(PostgreSql database, DatabaseProxy proxy) {
    private static @Nullable LossyPostgreSql shared;

    /** The database of {@link ServerProfile#POSTGRESQL}. */
    public static synchronized LossyPostgreSql shared() {
        LossyPostgreSql present = shared;
        if (present == null) {
            PostgreSql server = PostgreSql.start();
            present = new LossyPostgreSql(server, new DatabaseProxy(server.port()));
            shared = present;
        }
        return present;
    }

    /** Configures a server to use this database through the proxy. */
    ServerSetup configure(ServerSetup setup) {
        return database.configure(setup)
                // Otherwise the driver prepares the statement COMMIT and sends its text only once.
                .with("sallyport.db.url", PostgreSql.url(proxy.port()) + "?prepareThreshold=0");
    }
}
