package org.sallyport.store.jpa;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Completes a JDBC URL with the settings that each database needs for durable commits and correct times. Stateless and
 * thread-safe.
 */
final class JdbcUrl {
    private static final String H2 = "jdbc:h2:";
    private static final String POSTGRESQL = "jdbc:postgresql:";

    /**
     * Settings of an embedded H2. WRITE_DELAY=0, because by default H2 acknowledges commits that it has not written
     * when the process is killed. DB_CLOSE_ON_EXIT=FALSE, because H2's own shutdown hook would race with executions
     * that are still ending. OPTIMIZE_REUSE_RESULTS=FALSE, because a statement would otherwise get the result of its
     * earlier run although another connection has committed a change since (h2database issues 3894 and 4208): reads
     * would be stale, and updates after {@code for update} would be lost. The inline size, because a row and its usual
     * texts are then one write. The query cache, because the default of 8 is fewer than the statements of one
     * execution. ANALYZE_AUTO=0: see {@link H2PlannerStatistics}.
     */
    private static final Map<String, String> H2_SETTINGS = h2Settings();

    /** The settings that a URL must not change, and what would happen otherwise. */
    private static final Map<String, String> REQUIRED_H2_SETTINGS = Map.of(
            "WRITE_DELAY", "a crash loses accepted executions",
            "OPTIMIZE_REUSE_RESULTS", "reads miss commits of other connections",
            "ANALYZE_AUTO", "all writes wait for seconds while H2 reads long texts");

    /** EclipseLink binds an instant as local date and time. Only in UTC does no hour occur twice. */
    private static final String SET_TIME_ZONE = "SET TIME ZONE 'UTC'";

    /**
     * A PostgreSQL server may be configured to acknowledge commits before it has written them; it loses them if it
     * crashes. Settings that guarantee more than {@code on} stay unchanged.
     */
    private static final String REQUIRE_SYNCHRONOUS_COMMIT = "SELECT set_config('synchronous_commit', 'on', false)"
            + " WHERE current_setting('synchronous_commit') = 'off'";

    private JdbcUrl() {}

    private static Map<String, String> h2Settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("WRITE_DELAY", "0");
        settings.put("DB_CLOSE_ON_EXIT", "FALSE");
        settings.put("OPTIMIZE_REUSE_RESULTS", "FALSE");
        settings.put("MAX_LENGTH_INPLACE_LOB", "16384");
        settings.put("QUERY_CACHE_SIZE", "64");
        settings.put("ANALYZE_AUTO", "0");
        return settings;
    }

    /**
     * Returns the path of the file of an H2 database in this process, without the extension; empty for other databases.
     */
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

    /** Returns the SQL that each new connection executes first. */
    static String connectionInitSql(String url) {
        return isPostgreSql(url) ? SET_TIME_ZONE + "; " + REQUIRE_SYNCHRONOUS_COMMIT : SET_TIME_ZONE;
    }

    /**
     * Returns {@code url} with all required settings that it does not contain.
     *
     * @throws IllegalArgumentException if the URL is for another database or contradicts a required setting
     */
    static String complete(String url) {
        if (isPostgreSql(url)) {
            return url;
        }
        if (!url.startsWith(H2)) {
            throw new IllegalArgumentException(
                    "the database URL must start with " + H2 + " or " + POSTGRESQL + ", not " + printable(url));
        }
        String upper = url.toUpperCase(Locale.ROOT);
        REQUIRED_H2_SETTINGS.forEach((name, reason) -> {
            String setting = name + "=" + H2_SETTINGS.get(name);
            if (upper.contains(";" + name + "=") && !(upper + ";").contains(";" + setting + ";")) {
                throw new IllegalArgumentException(
                        "the H2 URL must set " + setting + ": otherwise " + reason + ": " + printable(url));
            }
        });
        StringBuilder completed = new StringBuilder(url);
        H2_SETTINGS.forEach((name, value) -> {
            if (!upper.contains(";" + name + "=")) {
                completed.append(';').append(name).append('=').append(value);
            }
        });
        return completed.toString();
    }

    /** Returns the URL without parameters and user information, which may contain a password. */
    static String printable(String url) {
        int end = url.length();
        for (char separator : new char[] {'?', ';'}) {
            int at = url.indexOf(separator);
            end = at < 0 ? end : Math.min(end, at);
        }
        return url.substring(0, end).replaceFirst("//[^/@]*@", "//");
    }
}
