package org.sallyport.it.harness;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/** Inserts API keys directly into the database of a server, for keys that no API creates. */
public final class ApiKeyInserter {
    private static final String EXPIRED_KEY_ID = "expiredKey01";
    private static final String FOREIGN_KEY_ID = "foreignKey01";
    private static final String SECRET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

    private ApiKeyInserter() {}

    /** Adds a key that expired a minute ago to the database of a stopped server. Returns the key. */
    public static String insertExpired(Path data) {
        return insert(
                exclusiveDatabaseUrl(data),
                EXPIRED_KEY_ID,
                Optional.empty(),
                Instant.now().minus(Duration.ofMinutes(1)));
    }

    /** Adds a key of another tenant to a running server that uses the {@link #sharedDatabaseUrl}. Returns the key. */
    public static String insertForeign(Path data) {
        return insert(
                sharedDatabaseUrl(data) + ";IFEXISTS=TRUE",
                FOREIGN_KEY_ID,
                Optional.of("foreign"),
                Instant.now().plus(Duration.ofDays(1)));
    }

    /** URL of a server database that other processes can open at the same time, through a socket. */
    public static String sharedDatabaseUrl(Path data) {
        return "jdbc:h2:file:" + data.resolve("sallyport") + ";AUTO_SERVER=TRUE;DB_CLOSE_ON_EXIT=TRUE";
    }

    /** URL of the database of a stopped server. */
    static String exclusiveDatabaseUrl(Path data) {
        return "jdbc:h2:file:" + data.resolve("sallyport") + ";IFEXISTS=TRUE;WRITE_DELAY=0";
    }

    private static String insert(String url, String id, Optional<String> tenant, Instant expires) {
        String key = "sp_" + id + "_" + SECRET;
        try (Connection connection = DriverManager.getConnection(url, "sallyport", "");
                PreparedStatement insert = connection.prepareStatement(
                        "merge into api_key (id, tenant, name, hash, roles, expires_at) key (id)"
                                + " select ?, coalesce(?, tenant), 'test', ?, roles, ? from api_key where id <> ?"
                                + " order by length(roles) desc, id limit 1")) {
            insert.setString(1, id);
            insert.setString(2, tenant.orElse(null));
            insert.setString(3, sha256(key));
            insert.setTimestamp(4, Timestamp.from(expires));
            insert.setString(5, id);
            if (insert.executeUpdate() != 1) {
                throw new AssertionError("there is no key to copy the roles from");
            }
            return key;
        } catch (SQLException e) {
            throw new AssertionError("the database at " + url + " cannot be reached", e);
        }
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
