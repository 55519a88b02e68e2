package org.sallyport.it.harness;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** The embedded database of a stopped server. */
public final class StoppedDatabase {
    private StoppedDatabase() {}

    /** Runs a query with an id as its parameter on the data of a stopped server. Returns its result as text. */
    public static String queryText(Path data, String query, UUID id) {
        try (Connection connection =
                        DriverManager.getConnection(ApiKeyInserter.exclusiveDatabaseUrl(data), "sallyport", "");
                PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setObject(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? String.valueOf(row.getString(1)) : "";
            }
        } catch (SQLException e) {
            throw new AssertionError("the database in " + data + " does not answer: " + query, e);
        }
    }
}
