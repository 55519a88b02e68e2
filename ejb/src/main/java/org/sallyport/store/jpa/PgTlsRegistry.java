package org.sallyport.store.jpa;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.postgresql.Driver;

/**
 * Passes TLS settings to PostgreSQL's JDBC driver. The driver instantiates its helpers by class name and passes only
 * strings to them, so the helpers look up their {@link DatabaseTls} here by a key. Thread-safe. The owner closes the
 * registry when no further connection will be opened.
 */
final class PgTlsRegistry implements AutoCloseable {
    private static final String FACTORY_ARGUMENT = "sslfactoryarg";
    /** URL parameters that conflict with the TLS settings: the driver prefers the URL to the connection properties. */
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
        Map<String, String> settings = new HashMap<>();
        tls.ifPresent(known -> {
            REGISTERED.put(registryKey, known);
            settings.put("sslmode", "verify-full");
            // With Kerberos encryption the driver would use none of these settings.
            settings.put("gssEncMode", "disable");
            settings.put("sslfactory", PgSocketFactory.class.getName());
            settings.put(FACTORY_ARGUMENT, registryKey);
            known.serverName()
                    .ifPresent(expected -> settings.put("sslhostnameverifier", PgHostnameVerifier.class.getName()));
        });
        properties = Map.copyOf(settings);
    }

    /**
     * Registers the TLS settings, if there are any.
     *
     * @throws IllegalArgumentException if TLS is set for another database, or if the URL contains TLS parameters as
     *     well
     */
    static PgTlsRegistry of(DatabaseSettings settings) {
        if (settings.tls().isPresent()) {
            if (!JdbcUrl.isPostgreSql(settings.url())) {
                throw new IllegalArgumentException(
                        "TLS settings apply to PostgreSQL only, not to " + JdbcUrl.printable(settings.url()));
            }
            Properties said = Driver.parseURL(settings.url(), new Properties());
            for (String parameter : RESERVED_PARAMETERS) {
                if (said != null && said.getProperty(parameter) != null) {
                    throw new IllegalArgumentException("the database URL has the parameter " + parameter
                            + ", which the TLS settings determine: remove it from "
                            + JdbcUrl.printable(settings.url()));
                }
            }
        }
        return new PgTlsRegistry(settings.tls());
    }

    /** Returns the connection properties for the driver; empty without TLS. */
    Map<String, String> properties() {
        return properties;
    }

    /**
     * Returns the registered settings.
     *
     * @param name the key that the driver was given
     * @throws IllegalStateException if the registry is closed
     */
    static DatabaseTls lookup(String name) {
        DatabaseTls tls = REGISTERED.get(name);
        if (tls == null) {
            throw new IllegalStateException("the database is closed");
        }
        return tls;
    }

    static DatabaseTls lookup(Properties properties) {
        return lookup(properties.getProperty(FACTORY_ARGUMENT, ""));
    }

    @Override
    public void close() {
        REGISTERED.remove(registryKey);
    }
}
