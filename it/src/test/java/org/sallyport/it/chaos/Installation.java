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
import org.sallyport.it.chaos.inside.DeadlyHook;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;

/**
 * A server of its own that may be killed, with what it needs beside it, and a look into its database from outside.
 *
 * @param armoury where points are armed
 */
record Installation(
        SallyportServer server, Armoury armoury, Optional<PostgreSql> database, Optional<BrokerProcess> broker)
        implements AutoCloseable {
    private static final String FILE = "sallyport.mv.db";

    /** Starts it; it is ready. */
    static Installation start(Plan plan) {
        return start(plan, setup -> setup);
    }

    /** As {@link #start} with H2, which acknowledges what it has not written: what every run must find. */
    static Installation forgetful(Plan plan) {
        return start(
                plan,
                setup -> setup.with(
                        DeadlyHook.FORGETFUL, "jdbc:h2:file:" + setup.data().resolve("sallyport")));
    }

    /** As {@link #start}, with so many runs of a script that may be lost with their nodes. */
    static Installation allowing(int attempts, Plan plan) {
        return start(plan, setup -> setup.with("sallyport.execution.max-attempts", Integer.toString(attempts)));
    }

    private static Installation start(Plan plan, UnaryOperator<ServerSetup> more) {
        Armoury armoury = new Armoury();
        // A kill is no fault of the script: as many as are done here must not use up its runs.
        ServerSetup setup = more.apply(armoury.usedBy(ServerSetup.fresh("chaos"))
                .from(TestBuild.layout())
                .with("sallyport.execution.max-attempts", "100")
                .with("sallyport.runner.resend-millis", "2000")
                .with("sallyport.runner.park-after-millis", "2000")
                .with("sallyport.callbacks.hosts", "127.0.0.1")
                .with("sallyport.callbacks.private", "true")
                .with("sallyport.tool-graph.settle-millis", "1000")
                .with("sallyport.callbacks.timeout-millis", "10000")
                // Requests outlive a slow start: an external broker brings them again to the next life.
                .with("sallyport.limits.call-millis", "120000"));
        Optional<PostgreSql> database =
                plan.database() == Plan.Database.POSTGRESQL ? Optional.of(PostgreSql.start()) : Optional.empty();
        Optional<BrokerProcess> broker =
                plan.broker() == Plan.Broker.EXTERNAL ? Optional.of(BrokerProcess.start()) : Optional.empty();
        ServerSetup withDatabase = database.map(each -> each.usedBy(setup)).orElse(setup);
        SallyportServer server = broker.map(each -> each.usedBy(withDatabase))
                .orElse(withDatabase)
                .start();
        database.ifPresent(Watch::set);
        return new Installation(server, armoury, database, broker);
    }

    /** What the database holds while the server is dead. Of a file a copy is read: the original is for the server to mend. */
    Books read() {
        if (database.isPresent()) {
            try (Connection connection = connect(server.data())) {
                return Books.read(connection);
            } catch (SQLException e) {
                throw new AssertionError("the database cannot be read", e);
            }
        }
        Path directory = ServerSetup.temporaryDirectory();
        Path copy = directory.resolve(FILE);
        try {
            Files.copy(server.data().resolve(FILE), copy);
            try (Connection connection = connect(directory)) {
                return Books.read(connection);
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
    void age(List<String> ids, Duration age) {
        String sql = "update execution set finished_at = finished_at - cast(? as bigint) * interval '1' second,"
                + " next_check_at = next_check_at - cast(? as bigint) * interval '1' second where id = cast(? as uuid)";
        try (Connection connection = connect(server.data());
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
    List<String> changes() {
        return database.map(Watch::changes).orElse(List.of());
    }

    @Override
    public void close() {
        server.close();
        broker.ifPresent(BrokerProcess::close);
        database.ifPresent(PostgreSql::close);
    }
}
