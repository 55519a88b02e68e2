package org.sallyport.store.jpa;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.sallyport.backup.BackupWriter;

/**
 * Copies the file of an embedded H2 database, which must be open, into a zip file. Other transactions continue: H2 does
 * not reuse the space of the file meanwhile. Uses connections outside the pool. Thread-safe.
 */
final class DatabaseBackup implements BackupWriter {
    private static final String FILE_ENDING = ".mv.db";
    private static final String CHECK_ENDING = ".check";
    private static final String TABLES = "select table_schema, table_name from information_schema.tables"
            + " where table_type = 'BASE TABLE' and table_schema <> 'INFORMATION_SCHEMA'";

    private final DatabaseSettings settings;
    private final Path databaseFile;

    private DatabaseBackup(DatabaseSettings settings, Path databaseFile) {
        this.settings = settings;
        this.databaseFile = databaseFile;
    }

    /** Returns the writer for a database; empty unless it is a file of H2 in this process. */
    static Optional<BackupWriter> of(DatabaseSettings settings) {
        return JdbcUrl.databaseFile(settings.url())
                .map(name -> name.resolveSibling(name.getFileName() + FILE_ENDING))
                .map(file -> new DatabaseBackup(settings, file));
    }

    @Override
    public void write(Path file) throws IOException {
        requireFreeSpace(file);
        try (Connection connection = connect(settings.url());
                Statement statement = connection.createStatement()) {
            statement.execute("backup to '" + file.toString().replace("'", "''") + "'");
        } catch (SQLException e) {
            throw new IOException("the database cannot be copied: " + e.getMessage(), e);
        }
        try (FileChannel written = FileChannel.open(file, StandardOpenOption.WRITE)) {
            written.force(true);
        }
        // Only the owner may enter it.
        check(file, Files.createTempDirectory(directoryOf(file), file.getFileName() + CHECK_ENDING));
    }

    /** A full disk would end accepted executions, so the copy and its check leave the reserve free. */
    private void requireFreeSpace(Path file) throws IOException {
        long needed = 2 * Files.size(databaseFile) + settings.minFreeBytes();
        long free = directoryOf(file).toFile().getUsableSpace();
        if (free < needed) {
            throw new IOException(
                    "the disk of " + directoryOf(file) + " has " + free + " bytes free, but a backup needs " + needed);
        }
    }

    private static Path directoryOf(Path file) {
        return file.resolve("..").normalize();
    }

    private Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(JdbcUrl.complete(url), settings.user(), settings.password());
    }

    /**
     * Unpacks a copy into an empty directory, opens it and reads each row of each table.
     *
     * @throws IOException if that is not possible
     */
    void check(Path backup, Path directory) throws IOException {
        Path name = unpack(backup, directory);
        try (Connection connection = connect(urlOf(name));
                Statement statement = connection.createStatement()) {
            List<String> tables = tables(statement);
            if (tables.isEmpty()) {
                throw new IOException("the copy of the database has no tables");
            }
            for (String table : tables) {
                // True for each row. Without a condition, H2 knows the count without reading the rows.
                statement.execute("select count(*) from " + table + " where mod(_rowid_, 2) < 2");
            }
        } catch (SQLException e) {
            throw new IOException("the copy of the database cannot be read: " + e.getMessage(), e);
        }
    }

    /** Returns the path of the unpacked database, without the extension. */
    private static Path unpack(Path backup, Path directory) throws IOException {
        try (ZipFile zip = new ZipFile(backup.toFile())) {
            Optional<? extends ZipEntry> entry = zip.stream()
                    .filter(each -> each.getName().endsWith(FILE_ENDING))
                    .findFirst();
            if (entry.isEmpty()) {
                throw new IOException("the copy of the database has no file " + FILE_ENDING);
            }
            try (InputStream content = zip.getInputStream(entry.get())) {
                Files.copy(content, directory.resolve("copy" + FILE_ENDING));
            }
        }
        return directory.resolve("copy");
    }

    /** Returns the URL of a copy, with the parameters of the database and a small cache. */
    private String urlOf(Path copy) {
        int end = settings.url().indexOf(';');
        String parameters = end < 0 ? "" : settings.url().substring(end);
        String cache = parameters.toUpperCase(Locale.ROOT).contains(";CACHE_SIZE=") ? "" : ";CACHE_SIZE=4096";
        return "jdbc:h2:file:" + copy.toAbsolutePath() + parameters + cache;
    }

    private static List<String> tables(Statement statement) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(TABLES)) {
            while (rows.next()) {
                tables.add('"' + rows.getString(1) + "\".\"" + rows.getString(2) + '"');
            }
        }
        return tables;
    }
}
