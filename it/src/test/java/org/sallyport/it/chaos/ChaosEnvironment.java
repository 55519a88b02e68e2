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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sallyport.it.chaos.inside.KillingFailpointHook;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.FailpointBuild;
import org.sallyport.it.harness.FailpointControl;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;

/** Nodes that the test may kill, with their broker and database, and access to that database from outside. */
final class ChaosEnvironment implements AutoCloseable {
    private static final String DATABASE_FILE = "sallyport.mv.db";
    private static final String TWO_NODES_LEASE_MILLIS = "4000";

    private final List<ChaosNode> nodes;
    private final Optional<PostgreSql> database;
    private final Optional<BrokerProcess> broker;
    private final AtomicInteger requests = new AtomicInteger();

    private ChaosEnvironment(List<ChaosNode> nodes, Optional<PostgreSql> database, Optional<BrokerProcess> broker) {
        this.nodes = List.copyOf(nodes);
        this.database = database;
        this.broker = broker;
    }

    /** All nodes, also those that are dead. */
    List<ChaosNode> nodes() {
        return nodes;
    }

    /** The server of the first node. */
    SallyportServer server() {
        return nodes.get(0).server();
    }

    /** The failpoints of the first node. */
    FailpointControl failpoints() {
        return nodes.get(0).failpoints();
    }

    /** A client of a node that is alive, if there is one. The nodes take turns. */
    RestClient nextApi() {
        List<ChaosNode> alive =
                nodes.stream().filter(node -> node.server().isAlive()).toList();
        List<ChaosNode> choice = alive.isEmpty() ? nodes : alive;
        return choice.get(Math.floorMod(requests.getAndIncrement(), choice.size()))
                .api();
    }

    /** Every call that a connector of any node received, with repetitions, each as call id and tool. */
    List<String> connectorCalls() {
        return nodes.stream()
                .flatMap(node -> node.failpoints().connectorCalls().stream())
                .toList();
    }

    /** Starts the environment and returns when the server is ready. */
    static ChaosEnvironment start(ChaosPlan plan) {
        return start(plan, setup -> setup);
    }

    /**
     * Like {@link #start}, but with an H2 database that acknowledges commits before it writes them. Each run with it
     * must find lost data.
     */
    static ChaosEnvironment startWithLossyDatabase(ChaosPlan plan) {
        return start(
                plan,
                setup -> setup.with(
                        KillingFailpointHook.LOSSY_DATABASE_PROPERTY,
                        "jdbc:h2:file:" + setup.dataDirectory().resolve("sallyport")));
    }

    /**
     * Like {@link #start}, with a limit on the attempts of an execution that may be lost alone with their nodes. Each
     * start after a kill counts as part of a crash loop.
     */
    static ChaosEnvironment startWithMaxAttempts(int attempts, ChaosPlan plan) {
        return start(
                plan,
                setup -> setup.with("sallyport.execution.max-attempts", Integer.toString(attempts))
                        .with("sallyport.runner.crash-loop-starts", "1"));
    }

    private static ChaosEnvironment start(ChaosPlan plan, UnaryOperator<ServerSetup> more) {
        Optional<PostgreSql> database = plan.database() == ChaosPlan.ChaosDatabase.POSTGRESQL
                ? Optional.of(PostgreSql.start())
                : Optional.empty();
        Optional<BrokerProcess> broker =
                plan.broker() == ChaosPlan.ChaosBroker.EXTERNAL ? Optional.of(BrokerProcess.start()) : Optional.empty();
        Path serverDirectory = FailpointBuild.createServerDirectory();
        List<FailpointControl> controls =
                Stream.generate(FailpointControl::new).limit(plan.nodes()).toList();
        List<SallyportServer> servers = controls.stream()
                .map(failpoints -> {
                    ServerSetup setup = more.apply(failpoints.configure(setup(plan, serverDirectory)));
                    ServerSetup withDatabase =
                            database.map(each -> each.configure(setup)).orElse(setup);
                    return broker.map(each -> each.configure(withDatabase))
                            .orElse(withDatabase)
                            .launch();
                })
                .toList();
        servers.forEach(SallyportServer::awaitReady);
        // Each node creates a key of its own, which is valid at all nodes. Callers use one of them.
        Optional<String> key = Optional.of(servers.get(0).adminKey());
        List<ChaosNode> nodes = IntStream.range(0, plan.nodes())
                .mapToObj(i -> new ChaosNode(
                        servers.get(i),
                        controls.get(i),
                        new RestClient(servers.get(i).url(), key)))
                .toList();
        database.ifPresent(ImmutabilityTriggers::install);
        return new ChaosEnvironment(nodes, database, broker);
    }

    private static ServerSetup setup(ChaosPlan plan, Path serverDirectory) {
        // A kill is not the fault of the script, so the kills of this test must not exhaust the attempts.
        ServerSetup setup = ServerSetup.create("chaos")
                .withServerDirectory(serverDirectory)
                .with("sallyport.execution.max-attempts", "100")
                .with("sallyport.runner.crash-loop-starts", "1000000")
                .with("sallyport.runner.resend-millis", "2000")
                .with("sallyport.runner.park-after-millis", "2000")
                .with("sallyport.approvals.allow-self-approval", "true")
                .with("sallyport.schedules.min-interval-millis", "1000")
                // No missed time is left out, however long the nodes are down.
                .with("sallyport.schedules.max-misfires", "10000")
                .with("sallyport.callbacks.allowed-hosts", "127.0.0.1")
                .with("sallyport.callbacks.allow-private-addresses", "true")
                .with("sallyport.callbacks.key", "only-for-this-test-on-all-of-its-nodes")
                .with("sallyport.tool-graph.ingest-delay-millis", "1000")
                .with("sallyport.callbacks.timeout-millis", "10000")
                // Calls outlast a slow start, because an external broker redelivers them to the next incarnation.
                .with("sallyport.limits.call-millis", "120000");
        return plan.nodes() == 1 ? setup : setup.with("sallyport.node.lease-millis", TWO_NODES_LEASE_MILLIS);
    }

    /**
     * Reads the content of the database at one moment. With H2 the server must be dead; it reads a copy of the file, so
     * that only the server recovers the original.
     */
    DatabaseSnapshot readSnapshot() {
        if (database.isPresent()) {
            try (Connection connection = database.get().connect()) {
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                connection.setAutoCommit(false);
                return DatabaseSnapshot.read(connection);
            } catch (SQLException e) {
                throw new AssertionError("the database cannot be read", e);
            }
        }
        Path directory = ServerSetup.temporaryDirectory();
        Path copy = directory.resolve(DATABASE_FILE);
        try {
            Files.copy(server().dataDirectory().resolve(DATABASE_FILE), copy);
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

    /** Moves the end times of executions into the past while the server is dead. */
    void backdate(List<String> ids, Duration age) {
        String sql = "update execution set finished_at = finished_at - cast(? as bigint) * interval '1' second,"
                + " next_check_at = next_check_at - cast(? as bigint) * interval '1' second where id = cast(? as uuid)";
        try (Connection connection = connect(server().dataDirectory());
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

    /** @param directory directory of the H2 database file; unused with PostgreSQL */
    private Connection connect(Path directory) throws SQLException {
        return database.isPresent()
                ? database.get().connect()
                : DriverManager.getConnection(
                        "jdbc:h2:file:" + directory.resolve("sallyport") + ";IFEXISTS=TRUE;WRITE_DELAY=0",
                        "sallyport",
                        "");
    }

    /** Changes of executions that had ended. Always empty on a database without {@link ImmutabilityTriggers}. */
    List<String> forbiddenChanges() {
        return database.map(ImmutabilityTriggers::recordedChanges).orElse(List.of());
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.server().close());
        broker.ifPresent(BrokerProcess::close);
        database.ifPresent(PostgreSql::close);
    }
}
