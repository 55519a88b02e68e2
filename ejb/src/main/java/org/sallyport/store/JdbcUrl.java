package org.sallyport.store;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Completes a JDBC URL with what each database needs to keep its promises. */
final class JdbcUrl {
    private static final String H2 = "jdbc:h2:";
    private static final String POSTGRESQL = "jdbc:postgresql:";

    /**
     * What an embedded H2 needs: WRITE_DELAY=0 because by default H2 acknowledges commits that a killed process never
     * wrote; DB_CLOSE_ON_EXIT because its own shutdown hook would race with executions that are still ending; the inline
     * size because a row and its usual texts then are one write; the query cache because the default of 8 is fewer than
     * the statements of one execution.
     */
    private static final Map<String, String> H2_SETTINGS = h2Settings();

    /** EclipseLink binds an instant as local date and time: only UTC has no hour that happens twice. */
    private static final String SET_TIME_ZONE = "SET TIME ZONE 'UTC'";

    /**
     * A PostgreSQL may be set up to acknowledge commits that it has not written yet, and forgets them when it dies. What
     * promises more than {@code on} stays as it is.
     */
    private static final String REQUIRE_SYNCHRONOUS_COMMIT = "SELECT set_config('synchronous_commit', 'on', false)"
            + " WHERE current_setting('synchronous_commit') = 'off'";

    private JdbcUrl() {}

    private static Map<String, String> h2Settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("WRITE_DELAY", "0");
        settings.put("DB_CLOSE_ON_EXIT", "FALSE");
        settings.put("MAX_LENGTH_INPLACE_LOB", "16384");
        settings.put("QUERY_CACHE_SIZE", "64");
        return settings;
    }

    /** The file of an H2 database in this process, without its ending. */
    static Optional<Path> databaseFile(String url) {
        if (!url.startsWith(H2)) {
            return Optional.empty();
        }
        String name = printable(url).substring(H2.length());
        String path = name.startsWith("file:") ? name.substring("file:".length()) : name;
        boolean elsewhere = path.indexOf(':') > 1; // a letter before a colon is a drive
        return elsewhere
                ? Optional.empty()
                : Optional.of(Path.of(path.replaceFirst("^~", System.getProperty("user.home"))));
    }

    static boolean isPostgreSql(String url) {
        return url.startsWith(POSTGRESQL);
    }

    /** What each connection says first. */
    static String connectionInitSql(String url) {
        return isPostgreSql(url) ? SET_TIME_ZONE + "; " + REQUIRE_SYNCHRONOUS_COMMIT : SET_TIME_ZONE;
    }

    /** {@code url} with everything needed that it does not say; {@link IllegalArgumentException} when it says otherwise. */
    static String complete(String url) {
        if (isPostgreSql(url)) {
            return url;
        }
        if (!url.startsWith(H2)) {
            throw new IllegalArgumentException(
                    "the database URL must start with " + H2 + " or " + POSTGRESQL + ", not " + printable(url));
        }
        String upper = url.toUpperCase(Locale.ROOT);
        if (upper.contains(";WRITE_DELAY=") && !(upper + ";").contains(";WRITE_DELAY=0;")) {
            throw new IllegalArgumentException("the H2 URL must say WRITE_DELAY=0: with a delay, a crash loses what was"
                    + " accepted: " + printable(url));
        }
        StringBuilder completed = new StringBuilder(url);
        H2_SETTINGS.forEach((name, value) -> {
            if (!upper.contains(";" + name + "=")) {
                completed.append(';').append(name).append('=').append(value);
            }
        });
        return completed.toString();
    }

    /** Without parameters, among which a password may be. */
    static String printable(String url) {
        int end = url.length();
        for (char separator : new char[] {'?', ';'}) {
            int at = url.indexOf(separator);
            end = at < 0 ? end : Math.min(end, at);
        }
        return url.substring(0, end).replaceFirst("//[^/@]*@", "//");
    }
}
