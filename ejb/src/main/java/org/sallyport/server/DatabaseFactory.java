package org.sallyport.server;

import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.Settings;
import org.sallyport.configuration.TlsSettings;
import org.sallyport.store.jpa.Database;
import org.sallyport.store.jpa.DatabaseSettings;
import org.sallyport.store.jpa.DatabaseSettings.RowSecurityMode;
import org.sallyport.store.jpa.DatabaseTls;
import org.sallyport.tls.OutboundTls;
import org.sallyport.tls.TlsConfigurationException;

/** Opens the configured database, or the H2 file in the data directory. */
final class DatabaseFactory {
    /** A request must learn within two seconds that the database is down. */
    private static final Duration TIMEOUT = Duration.ofMillis(1_500);

    private static final String POSTGRESQL = "jdbc:postgresql:";
    private static final List<String> URL_PREFIXES = List.of("jdbc:h2:", POSTGRESQL);

    private static final Pattern HOSTS_PATTERN = Pattern.compile("^" + POSTGRESQL + "//([^/?]+)");
    private static final Pattern LOOPBACK_HOST = Pattern.compile("(localhost|127\\.[0-9.]+|\\[::1])(:[0-9]+)?");

    private DatabaseFactory() {}

    static Database open(Configuration configuration, Path data, InstantSource clock) {
        String url = configuration.get(Settings.DB_URL);
        if (!url.isEmpty() && URL_PREFIXES.stream().noneMatch(url::startsWith)) {
            // The URL is not shown, because it may contain a password.
            throw new InvalidConfigurationException(
                    List.of(Settings.DB_URL.name() + " (" + Settings.DB_URL.environmentVariable()
                            + "): must start with " + String.join(" or ", URL_PREFIXES)));
        }
        Optional<DatabaseTls> tls = tls(configuration, clock);
        if (tls.isPresent() && !url.startsWith(POSTGRESQL)) {
            throw new InvalidConfigurationException(
                    List.of(TlsSettings.DB_MODE.name() + ": is for PostgreSQL only; set " + Settings.DB_URL.name()
                            + " to its URL, or remove this setting"));
        }
        if (tls.isEmpty() && isInsecureRemote(url)) {
            System.getLogger(DatabaseFactory.class.getName())
                    .log(
                            Level.WARNING,
                            "The connection to the database is not encrypted, or does not verify the certificate:"
                                    + " attackers on the network can read and change the data. Set {0}.",
                            TlsSettings.DB_MODE.name());
        }
        DatabaseSettings settings = new DatabaseSettings(
                url.isEmpty() ? "jdbc:h2:file:" + data.resolve("sallyport") + ";WRITE_DELAY=0" : url,
                configuration.get(Settings.DB_USER),
                configuration.get(Settings.DB_PASSWORD),
                configuration.getInt(Settings.DB_POOL_SIZE),
                TIMEOUT,
                configuration.get(Settings.DB_MIN_FREE_BYTES),
                tls,
                RowSecurityMode.valueOf(
                        configuration.get(Settings.DB_ROW_SECURITY).toUpperCase(Locale.ROOT)));
        try {
            return Database.open(settings);
        } catch (RuntimeException e) {
            throw url.isEmpty() ? BackupModule.withNewestBackup(e, configuration, data) : e;
        }
    }

    /**
     * Returns whether the connection to a remote database is not encrypted or does not verify the server's certificate.
     */
    static boolean isInsecureRemote(String url) {
        Matcher hosts = HOSTS_PATTERN.matcher(url);
        return hosts.find()
                && !url.contains("sslmode=verify-full")
                && Arrays.stream(hosts.group(1).split(","))
                        .anyMatch(host -> !LOOPBACK_HOST.matcher(host).matches());
    }

    private static Optional<DatabaseTls> tls(Configuration configuration, InstantSource clock) {
        try {
            return OutboundTls.forDatabase(name -> Settings.text(configuration, name), clock)
                    .map(tls -> new DatabaseTls(tls::context, tls.serverName(), tls::explain));
        } catch (TlsConfigurationException e) {
            throw new InvalidConfigurationException(List.of(String.valueOf(e.getMessage())));
        }
    }
}
