package org.sallyport.it.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.sallyport.it.chaos.inside.KillingFailpointHook;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;

/**
 * A server of its own that may be killed, with what it needs beside it, and a look into its database from outside.
 *
 * @param failpoints where points are armed
 */
record ChaosEnvironment(
        SallyportServer server,
        FailpointControl failpoints,
        Optional<PostgreSql> database,
        Optional<BrokerProcess> broker)
        implements AutoCloseable {
    private static final String DATABASE_FILE = "sallyport.mv.db";

    /** Starts it; it is ready. */
    static ChaosEnvironment start(ChaosPlan plan) {
        return start(plan, setup -> setup);
    }

    /** As {@link #start} with H2, which acknowledges what it has not written: what every run must find. */
    static ChaosEnvironment startWithLossyDatabase(ChaosPlan plan) {
        return start(
                plan,
                setup -> setup.with(
                        KillingFailpointHook.LOSSY_DATABASE_PROPERTY,
                        "jdbc:h2:file:" + setup.dataDirectory().resolve("sallyport")));
    }

    /** As {@link #start}, with so many runs of a script that may be lost with their nodes. */
    static ChaosEnvironment startWithMaxAttempts(int attempts, ChaosPlan plan) {
        return start(plan, setup -> setup.with("sallyport.execution.max-attempts", Integer.toString(attempts)));
    }

    private static ChaosEnvironment start(ChaosPlan plan, UnaryOperator<ServerSetup> more) {
        FailpointControl armoury = new FailpointControl();
        // A kill is no fault of the script: as many as are done here must not use up its runs.
        ServerSetup setup = more.apply(armoury.configure(ServerSetup.create("chaos"))
                .withServerDirectory(FailpointBuild.createServerDirectory())
                .with("sallyport.execution.max-attempts", "100")
                .with("sallyport.runner.resend-millis", "2000")
                .with("sallyport.runner.park-after-millis", "2000")
                .with("sallyport.callbacks.hosts", "127.0.0.1")
                .with("sallyport.callbacks.private", "true")
                .with("sallyport.tool-graph.settle-millis", "1000")
                .with("sallyport.callbacks.timeout-millis", "10000")
                // Requests outlive a slow start: an external broker brings them again to the next life.
                .with("sallyport.limits.call-millis", "120000"));
        Optional<PostgreSql> database = plan.database() == ChaosPlan.ChaosDatabase.POSTGRESQL
                ? Optional.of(PostgreSql.start())
                : Optional.empty();
        Optional<BrokerProcess> broker =
                plan.broker() == ChaosPlan.ChaosBroker.EXTERNAL ? Optional.of(BrokerProcess.start()) : Optional.empty();
        ServerSetup withDatabase = database.map(each -> each.configure(setup)).orElse(setup);
        SallyportServer server = broker.map(each -> each.configure(withDatabase))
                .orElse(withDatabase)
                .start();
        database.ifPresent(ImmutabilityTriggers::install);
        return new ChaosEnvironment(server, armoury, database, broker);
    }

    /** What the database holds while the server is dead. Of a file a copy is read: the original is for the server to mend. */
    DatabaseSnapshot readSnapshot() {
        if (database.isPresent()) {
            try (Connection connection = connect(server.dataDirectory())) {
                return DatabaseSnapshot.read(connection);
            } catch (SQLException e) {
                throw new AssertionError("the database cannot be read", e);
            }
        }
        Path directory = ServerSetup.temporaryDirectory();
        Path copy = directory.resolve(DATABASE_FILE);
        try {
            Files.copy(server.dataDirectory().resolve(DATABASE_FILE), copy);
            try (Connection connection = connect(directory)) {
                return DatabaseSnapshot.read(connection);
            }
        } catch (SQLException e) {
            throw new AssertionError("the database cannot be read", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            copy.toFile().delete();
            directory.toFile().delete();
        }
    }

    /** Moves the end of executions into the past, while the server is dead. */
    void backdate(List<String> ids, Duration age) {
        String sql = "update execution set finished_at = finished_at - cast(? as bigint) * interval '1' second,"
                + " next_check_at = next_check_at - cast(? as bigint) * interval '1' second where id = cast(? as uuid)";
        try (Connection connection = connect(server.dataDirectory());
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (String id : ids) {
                statement.setLong(1, age.toSeconds());
                statement.setLong(2, age.toSeconds());
                statement.setString(3, id);
                if (statement.executeUpdate() != 1) {
                    throw new AssertionError("there is no execution " + id);
                }
            }
        } catch (SQLException e) {
            throw new AssertionError("the database cannot be changed", e);
        }
    }

    /** @param directory where the database file is, if there is one */
    private Connection connect(Path directory) throws SQLException {
        return database.isPresent()
                ? database.get().connect()
                : DriverManager.getConnection(
                        "jdbc:h2:file:" + directory.resolve("sallyport") + ";IFEXISTS=TRUE;WRITE_DELAY=0",
                        "sallyport",
                        "");
    }

    /** Changes of what had ended, where the database can be made to note them. */
    List<String> forbiddenChanges() {
        return database.map(ImmutabilityTriggers::recordedChanges).orElse(List.of());
    }

    @Override
    public void close() {
        server.close();
        broker.ifPresent(BrokerProcess::close);
        database.ifPresent(PostgreSql::close);
    }
}
