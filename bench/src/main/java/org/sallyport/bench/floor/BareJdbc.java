package org.sallyport.bench.floor;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.atomic.LongAdder;
import org.sallyport.bench.measure.TimedOperation;
import org.sallyport.bench.measure.WrongResultException;

/**
 * Runs the two commits that every durable execution needs, on a bare H2 file with durable commits: one inserts a row,
 * the other updates the row to its terminal state. Thread-safe.
 */
public final class BareJdbc implements TimedOperation, AutoCloseable {
    /** As long as a small script with its input. */
    private static final String CODE = "x".repeat(300);

    private final String url;
    private final Connection keepAliveConnection;
    private final BlockingDeque<BareJdbcSession> idle = new LinkedBlockingDeque<>();
    private final LongAdder finishedCount = new LongAdder();

    private BareJdbc(String url) throws SQLException {
        this.url = url;
        this.keepAliveConnection = DriverManager.getConnection(url);
    }

    /** Opens a database in an empty directory. */
    public static BareJdbc open(Path directory) throws SQLException {
        // The same URL settings as the service.
        BareJdbc jdbc =
                new BareJdbc("jdbc:h2:file:" + directory.toAbsolutePath().resolve("bare")
                        + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE;MAX_LENGTH_INPLACE_LOB=16384;QUERY_CACHE_SIZE=64"
                        + ";OPTIMIZE_REUSE_RESULTS=FALSE;ANALYZE_AUTO=0");
        try (Statement statement = jdbc.keepAliveConnection.createStatement()) {
            statement.execute(
                    "create table execution (id uuid primary key, state varchar(16) not null, code text not null,"
                            + " created_at timestamp(6) with time zone default current_timestamp not null,"
                            + " finished_at timestamp(6) with time zone)");
        }
        return jdbc;
    }

    @Override
    public long runOnce(long number) throws Exception {
        BareJdbcSession taken = idle.pollFirst();
        BareJdbcSession lane = taken != null ? taken : new BareJdbcSession(DriverManager.getConnection(url));
        UUID id = UUID.randomUUID();
        long start = System.nanoTime();
        lane.insert(id);
        int changed = lane.finish(id);
        long nanos = System.nanoTime() - start;
        idle.addFirst(lane);
        if (changed != 1) {
            throw new WrongResultException("the database of the baseline changed " + changed + " rows instead of 1");
        }
        finishedCount.increment();
        return nanos;
    }

    /**
     * Checks that the database has one finished row for each successful operation.
     *
     * @throws WrongResultException if a row is missing or unfinished
     */
    public void verifyRows() throws SQLException, WrongResultException {
        try (Statement statement = keepAliveConnection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select count(*), sum(case when state = 'COMPLETED' then 1 else 0 end) from execution")) {
            rows.next();
            if (rows.getLong(1) != finishedCount.sum() || rows.getLong(2) != finishedCount.sum()) {
                throw new WrongResultException("the database of the baseline has " + rows.getLong(1) + " rows, "
                        + rows.getLong(2) + " of them finished, after " + finishedCount.sum() + " operations");
            }
        }
    }

    @Override
    public void close() throws SQLException {
        for (BareJdbcSession lane = idle.pollFirst(); lane != null; lane = idle.pollFirst()) {
            lane.connection.close();
        }
        keepAliveConnection.close();
    }

    /** One connection with its prepared statements. Used by one thread at a time. */
    private static final class BareJdbcSession {
        private final Connection connection;
        private final PreparedStatement insert;
        private final PreparedStatement finish;

        BareJdbcSession(Connection connection) throws SQLException {
            this.connection = connection;
            connection.setAutoCommit(false);
            insert = connection.prepareStatement("insert into execution (id, state, code) values (?, 'PENDING', ?)");
            finish = connection.prepareStatement(
                    "update execution set state = 'COMPLETED', finished_at = current_timestamp"
                            + " where id = ? and state = 'PENDING'");
        }

        void insert(UUID id) throws SQLException {
            insert.setObject(1, id);
            insert.setString(2, CODE);
            insert.executeUpdate();
            connection.commit();
        }

        int finish(UUID id) throws SQLException {
            finish.setObject(1, id);
            int changed = finish.executeUpdate();
            connection.commit();
            return changed;
        }
    }
}
