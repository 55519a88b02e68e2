package org.sallyport.wiring;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.Settings;
import org.sallyport.configuration.TlsSettings;
import org.sallyport.store.Database;
import org.sallyport.store.DatabaseSettings;
import org.sallyport.store.DatabaseTls;
import org.sallyport.tls.ServiceTls;
import org.sallyport.tls.UnusableException;

/** Opens the configured database, or the H2 file in the data directory. */
final class Databases {
    /** A request must hear within two seconds that the database is down. */
    private static final Duration TIMEOUT = Duration.ofMillis(1_500);

    private static final String POSTGRESQL = "jdbc:postgresql:";
    private static final List<String> KINDS = List.of("jdbc:h2:", POSTGRESQL);

    private Databases() {}

    static Database open(Configuration configuration, Path data, InstantSource clock) {
        String url = configuration.get(Settings.DB_URL);
        if (!url.isEmpty() && KINDS.stream().noneMatch(url::startsWith)) {
            // Not shown: it may hold a password.
            throw new InvalidConfigurationException(List.of(Settings.DB_URL.name() + " ("
                    + Settings.DB_URL.environmentVariable() + "): must start with " + String.join(" or ", KINDS)));
        }
        Optional<DatabaseTls> tls = tls(configuration, clock);
        if (tls.isPresent() && !url.startsWith(POSTGRESQL)) {
            throw new InvalidConfigurationException(List.of(TlsSettings.DB_MODE.name()
                    + ": is for PostgreSQL, whose address " + Settings.DB_URL.name() + " would be; H2 opens a file"));
        }
        return Database.open(new DatabaseSettings(
                url.isEmpty() ? "jdbc:h2:file:" + data.resolve("sallyport") + ";WRITE_DELAY=0" : url,
                configuration.get(Settings.DB_USER),
                configuration.get(Settings.DB_PASSWORD),
                configuration.integer(Settings.DB_POOL),
                TIMEOUT,
                configuration.get(Settings.DB_LEAST_FREE),
                tls));
    }

    private static Optional<DatabaseTls> tls(Configuration configuration, InstantSource clock) {
        try {
            return ServiceTls.database(name -> Settings.text(configuration, name), clock)
                    .map(tls -> new DatabaseTls(tls::context, tls.serverName(), tls::explained));
        } catch (UnusableException e) {
            throw new InvalidConfigurationException(List.of(String.valueOf(e.getMessage())));
        }
    }
}
