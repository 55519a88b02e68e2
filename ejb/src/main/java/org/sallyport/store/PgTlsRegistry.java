package org.sallyport.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.postgresql.Driver;

/**
 * What PostgreSQL's driver is told of TLS. It makes what it needs by the names of classes and knows only texts, so these find by a
 * name what they are to work with. Close it when no connection is made any more.
 */
final class PgTlsRegistry implements AutoCloseable {
    private static final String FACTORY_ARGUMENT = "sslfactoryarg";
    /** What in an address would have the driver do something else: it outranks what it is told. */
    private static final List<String> RESERVED_PARAMETERS = List.of(
            "ssl",
            "sslmode",
            "sslfactory",
            FACTORY_ARGUMENT,
            "sslhostnameverifier",
            "sslcert",
            "sslkey",
            "sslrootcert",
            "sslpassword",
            "sslpasswordcallback",
            "gssEncMode");

    private static final Map<String, DatabaseTls> REGISTERED = new ConcurrentHashMap<>();

    private final String registryKey = UUID.randomUUID().toString();
    private final Map<String, String> properties;

    private PgTlsRegistry(Optional<DatabaseTls> tls) {
        Map<String, String> told = new HashMap<>();
        tls.ifPresent(known -> {
            REGISTERED.put(registryKey, known);
            told.put("sslmode", "verify-full");
            // Kerberos would encrypt without any of this.
            told.put("gssEncMode", "disable");
            told.put("sslfactory", PgSocketFactory.class.getName());
            told.put(FACTORY_ARGUMENT, registryKey);
            known.serverName()
                    .ifPresent(expected -> told.put("sslhostnameverifier", PgHostnameVerifier.class.getName()));
        });
        properties = Map.copyOf(told);
    }

    /** {@link IllegalArgumentException} when the URL says something of TLS itself besides. */
    static PgTlsRegistry of(DatabaseSettings settings) {
        if (settings.tls().isPresent()) {
            if (!JdbcUrl.isPostgreSql(settings.url())) {
                throw new IllegalArgumentException("TLS is for PostgreSQL: " + JdbcUrl.printable(settings.url()));
            }
            Properties said = Driver.parseURL(settings.url(), new Properties());
            for (String parameter : RESERVED_PARAMETERS) {
                if (said != null && said.getProperty(parameter) != null) {
                    throw new IllegalArgumentException("the database URL says " + parameter
                            + " and the settings of TLS say how: leave it out of " + JdbcUrl.printable(settings.url()));
                }
            }
        }
        return new PgTlsRegistry(settings.tls());
    }

    /** Parameters of the connection. */
    Map<String, String> properties() {
        return properties;
    }

    /** @param name as the driver was told it */
    static DatabaseTls lookup(String name) {
        DatabaseTls tls = REGISTERED.get(name);
        if (tls == null) {
            throw new IllegalStateException("the database is closed");
        }
        return tls;
    }

    /** @param properties of a connection */
    static DatabaseTls lookup(Properties properties) {
        return lookup(properties.getProperty(FACTORY_ARGUMENT, ""));
    }

    @Override
    public void close() {
        REGISTERED.remove(registryKey);
    }
}
