package org.sallyport.wiring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.Settings;
import org.sallyport.store.Database;
import org.sallyport.store.DatabaseSettings;

/** Opens the configured database, or the H2 file in the data directory. */
final class Databases {
    /** A request must hear within two seconds that the database is down. */
    private static final Duration TIMEOUT = Duration.ofMillis(1_500);

    private static final List<String> KINDS = List.of("jdbc:h2:", "jdbc:postgresql:");

    private Databases() {}

    static Database open(Configuration configuration, Path data) {
        String url = configuration.get(Settings.DB_URL);
        if (!url.isEmpty() && KINDS.stream().noneMatch(url::startsWith)) {
            // Not shown: it may hold a password.
            throw new InvalidConfigurationException(List.of(Settings.DB_URL.name() + " ("
                    + Settings.DB_URL.environmentVariable() + "): must start with " + String.join(" or ", KINDS)));
        }
        return Database.open(new DatabaseSettings(
                url.isEmpty() ? "jdbc:h2:file:" + data.resolve("sallyport") + ";WRITE_DELAY=0" : url,
                configuration.get(Settings.DB_USER),
                configuration.get(Settings.DB_PASSWORD),
                configuration.integer(Settings.DB_POOL),
                TIMEOUT,
                configuration.get(Settings.DB_LEAST_FREE)));
    }
}
