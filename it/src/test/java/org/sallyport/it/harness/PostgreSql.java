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
 * A PostgreSQL server configured for speed: it acknowledges a commit before it writes it, unless the session requires
 * otherwise. A test may stop it and start it again on the same data and port. It ends with this JVM at the latest.
 */
public final class PostgreSql implements AutoCloseable {
    private static final String USER = "postgres";
    private static final String TLS_DATABASE = "guarded";
    /** Password of the user of the database that requires client certificates. */
    public static final String PASSWORD = "open-sesame";

    private static final Duration START_TIMEOUT = Duration.ofSeconds(120);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);

    private final Path directory = ServerSetup.temporaryDirectory();
    private final int port = ServerSetup.freePort();
    private @Nullable EmbeddedPostgres server;

    private PostgreSql() {}

    /** Starts a server with an empty database on a free port. */
    public static PostgreSql start() {
        PostgreSql server = new PostgreSql();
        server.startProcess();
        return server;
    }

    /** Configures a server to use this database. */
    public ServerSetup configure(ServerSetup setup) {
        return setup.with("sallyport.db.url", url()).with("sallyport.db.user", USER);
    }

    /** The JDBC URL of the database. */
    public String url() {
        return url(port);
    }

    /** The JDBC URL of the database at a port of this host. */
    static String url(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    /** The port on which it listens. */
    int port() {
        return port;
    }

    /** Adds a user that logs in with that password. */
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
     * Adds a database that accepts only TLS connections from clients with a certificate of an authority in a PEM file.
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

    /** Configures a server with the database user that needs a client certificate. Callers add the certificate. */
    public ServerSetup configureWithTls(ServerSetup setup) {
        return setup.with("sallyport.db.url", "jdbc:postgresql://127.0.0.1:" + port + "/" + TLS_DATABASE)
                .with("sallyport.db.user", TLS_DATABASE)
                .with("sallyport.db.password", PASSWORD);
    }

    /** Starts the server again with the same data and port. Returns when it answers. */
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

    /** Stops the server. Returns when its processes are gone. */
    public void stop() {
        List<ProcessHandle> processes = processesIfRunning();
        try {
            // Only requests the end; on a busy machine this call returns before the processes are gone.
            requireRunning().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitEnd(processes);
    }

    private List<ProcessHandle> processesIfRunning() {
        try {
            return processes();
        } catch (UncheckedIOException | NoSuchElementException e) {
            return List.of();
        }
    }

    /**
     * Waits for empty command lines, because a process that has ended but was not yet reaped by its parent still
     * exists.
     */
    private static void awaitEnd(List<ProcessHandle> processes) {
        Await.until(
                "the database is dead",
                STOP_TIMEOUT,
                () -> processes.stream()
                        .allMatch(process ->
                                ProcessInspector.commandLine(process.pid()).isEmpty()));
    }

    /** Kills the server and all its helpers (SIGKILL). Returns when they are gone. */
    public void kill() {
        List<ProcessHandle> processes = processes();
        processes.forEach(ProcessInspector::kill);
        awaitEnd(processes);
        // Makes the library release the directory. Then deletes the pid file, whose process its parent may not have
        // reaped yet.
        stop();
        directory.resolve("data").resolve("postmaster.pid").toFile().delete();
    }

    /**
     * Suspends the server (SIGSTOP) until {@link #resume}. Suspends the main process first: afterwards no process is
     * added, and processes that end keep their ids.
     */
    public void pause() {
        ProcessHandle main = mainProcess();
        ProcessInspector.pause(main.pid());
        Await.until("PostgreSQL is suspended", STOP_TIMEOUT, () -> ProcessInspector.isPaused(main.pid()));
        main.descendants().forEach(process -> ProcessInspector.pause(process.pid()));
    }

    /** Resumes the suspended server, its main process last. */
    public void resume() {
        ProcessHandle main = mainProcess();
        main.descendants().forEach(process -> ProcessInspector.resume(process.pid()));
        ProcessInspector.resume(main.pid());
    }

    /** The main process comes first, because it starts no other process once it is dead. */
    private List<ProcessHandle> processes() {
        ProcessHandle main = mainProcess();
        return Stream.concat(Stream.of(main), main.descendants()).toList();
    }

    private ProcessHandle mainProcess() {
        try {
            return ProcessHandle.of(Long.parseLong(
                            Files.readAllLines(directory.resolve("data").resolve("postmaster.pid"))
                                    .get(0)
                                    .strip()))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a query with one parameter and returns its result as text. */
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

    /** Opens a connection as the owner of the database. */
    public Connection connect() throws SQLException {
        return requireRunning().getPostgresDatabase().getConnection();
    }

    /** Stops the server and deletes its data. */
    @Override
    public void close() {
        stop();
        DirectoryCleanup.delete(directory);
    }

    private EmbeddedPostgres requireRunning() {
        return Optional.ofNullable(server).orElseThrow();
    }
}
