package org.sallyport.it.harness;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.testsupport.CertificateFiles;

/**
 * A PostgreSQL server that is set up for speed: a commit is acknowledged before it is written, unless its session says
 * otherwise. May be stopped and started again on the same data and port.
 * Ends at the latest with this JVM.
 */
public final class PostgreSql implements AutoCloseable {
    private static final String USER = "postgres";
    private static final String TLS_DATABASE = "guarded";
    /** Of the user of the database that asks for certificates. */
    public static final String PASSWORD = "open-sesame";

    private static final Duration START_TIMEOUT = Duration.ofSeconds(120);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);

    private final Path directory = ServerSetup.temporaryDirectory();
    private final int port = ServerSetup.freePort();
    private @Nullable EmbeddedPostgres server;

    private PostgreSql() {}

    /** Starts one on a free port with an empty database. */
    public static PostgreSql start() {
        PostgreSql server = new PostgreSql();
        server.startProcess();
        return server;
    }

    /** A server that is to use this database. */
    public ServerSetup configure(ServerSetup setup) {
        return setup.with("sallyport.db.url", url()).with("sallyport.db.user", USER);
    }

    /** Where it is. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    /** From now on that user, too, may come, with that password. */
    public void createUser(String name, String password) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create role " + name + " login password '" + password + "'");
            Files.writeString(
                    directory.resolve("data").resolve("pg_hba.conf"),
                    "host all " + name + " all scram-sha-256\nlocal all all trust\nhost all all all trust\n");
            statement.execute("select pg_reload_conf()");
        } catch (SQLException e) {
            throw new AssertionError("the database cannot be set up", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * From now on there is a database besides that is reached by TLS alone, and by those alone who have a certificate of an authority
     * in a PEM file.
     */
    public void requireClientCertificates(CertificateFiles own, Path callers) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create role " + TLS_DATABASE + " login password '" + PASSWORD + "'");
            statement.execute("create database " + TLS_DATABASE + " owner " + TLS_DATABASE);
            Files.writeString(
                    directory.resolve("data").resolve("pg_hba.conf"),
                    "local all all trust\nhost all " + USER + " all trust\nhostssl all " + TLS_DATABASE
                            + " all scram-sha-256 clientcert=verify-ca\n");
            statement.execute("alter system set ssl_cert_file = '" + own.certificate() + "'");
            statement.execute("alter system set ssl_key_file = '" + own.key() + "'");
            statement.execute("alter system set ssl_ca_file = '" + callers + "'");
            statement.execute("alter system set ssl = on");
        } catch (SQLException e) {
            throw new AssertionError("the database cannot be set up", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        stop();
        startProcess();
    }

    /** A server that is to use that database. */
    public ServerSetup configureWithTls(ServerSetup setup) {
        return setup.with("sallyport.db.url", "jdbc:postgresql://127.0.0.1:" + port + "/" + TLS_DATABASE)
                .with("sallyport.db.user", TLS_DATABASE)
                .with("sallyport.db.password", PASSWORD);
    }

    /** Starts it again: same data, same port; returns when it answers. */
    public void startProcess() {
        try {
            server = EmbeddedPostgres.builder()
                    .setPort(port)
                    .setPGStartupWait(START_TIMEOUT)
                    .setDataDirectory(directory.resolve("data"))
                    .setCleanDataDirectory(false)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it; returns when it is gone. */
    public void stop() {
        List<ProcessHandle> processes = processesIfRunning();
        try {
            // Asks, and on a busy machine does not wait for long enough.
            requireRunning().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitEnd(processes);
    }

    private List<ProcessHandle> processesIfRunning() {
        try {
            return processes();
        } catch (UncheckedIOException | NoSuchElementException gone) {
            return List.of();
        }
    }

    /** One that has ended and that nobody has collected is still there, without a command line. */
    private static void awaitEnd(List<ProcessHandle> processes) {
        Await.until(
                "the database is dead",
                STOP_TIMEOUT,
                () -> processes.stream()
                        .allMatch(process ->
                                ProcessInspector.commandLine(process.pid()).isEmpty()));
    }

    /** Ends it and all its helpers without asking (SIGKILL); returns when they are gone. */
    public void kill() {
        List<ProcessHandle> processes = processes();
        processes.forEach(ProcessInspector::kill);
        awaitEnd(processes);
        // The library's hold on the directory; and a mark that names a process which nobody may have collected yet.
        stop();
        directory.resolve("data").resolve("postmaster.pid").toFile().delete();
    }

    /** Has it stand still (SIGSTOP) until it is resumed. */
    public void pause() {
        processes().forEach(process -> ProcessInspector.pause(process.pid()));
    }

    /** Lets it go on. */
    public void resume() {
        processes().forEach(process -> ProcessInspector.resume(process.pid()));
    }

    /** Itself first: it starts no other once it is dead. */
    private List<ProcessHandle> processes() {
        try {
            long pid =
                    Long.parseLong(Files.readAllLines(directory.resolve("data").resolve("postmaster.pid"))
                            .get(0)
                            .strip());
            ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
            return Stream.concat(Stream.of(postmaster), postmaster.descendants())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A text that a query with one parameter gives. */
    public String queryText(String query, String parameter) {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, parameter);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : "";
            }
        } catch (SQLException e) {
            throw new AssertionError("the database does not answer: " + query, e);
        }
    }

    /** A connection as its owner. */
    public Connection connect() throws SQLException {
        return requireRunning().getPostgresDatabase().getConnection();
    }

    /** Ends it and removes its data. */
    @Override
    public void close() {
        stop();
        DirectoryCleanup.delete(directory);
    }

    private EmbeddedPostgres requireRunning() {
        return Optional.ofNullable(server).orElseThrow();
    }
}
