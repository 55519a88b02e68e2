package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Makes commits of a database fail without an answer, and repeats their writes. For {@link Database#open(
 * DatabaseSettings, UnaryOperator)}. Only one commit fails at a time.
 */
public final class CommitFaults implements UnaryOperator<DataSource> {
    private static final String CONNECTION_FAILURE = "08006";
    private static final long TIMEOUT_SECONDS = 60;

    /** What happens to a transaction whose commit is not answered. */
    public enum CommitFault {
        /** The transaction is committed. */
        ANSWER_LOST,
        /** The transaction is rolled back. */
        NOT_COMMITTED,
        /** The transaction is committed later: when the repeated write waits for its locks, or has been answered. */
        LATE
    }

    private @Nullable CommitFault armed;
    private int commitsUntilFault;
    private @Nullable DataSource connections;
    private @Nullable Connection late;

    @Override
    public DataSource apply(DataSource pool) {
        connections = pool;
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = invoke(pool, method, arguments);
            return result instanceof Connection connection ? intercept(connection) : result;
        });
    }

    private Connection intercept(Connection connection) {
        return proxy(Connection.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "commit" -> commit(connection);
                case "rollback", "close", "setAutoCommit" -> {
                    if (!isLate(connection)) {
                        invoke(connection, method, arguments);
                    }
                }
                default -> {
                    return invoke(connection, method, arguments);
                }
            }
            return null;
        });
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private void commit(Connection connection) throws SQLException {
        CommitFault commitFault = nextFault(connection);
        if (commitFault == null || commitFault == CommitFault.ANSWER_LOST) {
            connection.commit();
        } else if (commitFault == CommitFault.NOT_COMMITTED) {
            connection.rollback();
        }
        if (commitFault != null) {
            throw new SQLException("the commit is not answered, as the test says", CONNECTION_FAILURE);
        }
    }

    private synchronized @Nullable CommitFault nextFault(Connection connection) {
        CommitFault commitFault = armed;
        if (commitFault == null || --commitsUntilFault > 0) {
            return null;
        }
        armed = null;
        if (commitFault == CommitFault.LATE) {
            late = connection;
        }
        return commitFault;
    }

    private synchronized boolean isLate(Connection connection) {
        return late == connection;
    }

    /**
     * Lets one of the following commits fail.
     *
     * @param commit which one, from 1
     */
    public synchronized void failCommit(CommitFault commitFault, int commit) {
        armed = commitFault;
        commitsUntilFault = commit;
    }

    /**
     * Runs the write, whose commit fails, and then a second time, as its caller does. Asserts that the first result was
     * unknown. Returns the second one.
     */
    public <T> T repeatAfter(CommitFault commitFault, Supplier<T> write) throws Exception {
        return repeatAfter(commitFault, 1, write);
    }

    /** @param commit which of the write's commits fails, from 1 */
    public <T> T repeatAfter(CommitFault commitFault, int commit, Supplier<T> write) throws Exception {
        loseAnswer(commitFault, commit, write);
        return repeat(write);
    }

    /** Runs the write, whose commit fails, and asserts that its result is unknown. The caller then calls repeat. */
    public void loseAnswer(CommitFault commitFault, Supplier<?> write) {
        loseAnswer(commitFault, 1, write);
    }

    private void loseAnswer(CommitFault commitFault, int commit, Supplier<?> write) {
        failCommit(commitFault, commit);
        StoreUnavailableException unknown = catchThrowableOfType(StoreUnavailableException.class, write::get);
        assertThat(unknown).as("the answer of " + commitFault).isNotNull();
        assertThat(unknown.maybeStored()).as("whether it may be stored").isTrue();
    }

    /** Runs a write after the answer of a commit was lost. Commits the transaction that is to be committed late. */
    public <T> T repeat(Supplier<T> write) throws Exception {
        CompletableFuture<T> repeated = CompletableFuture.supplyAsync(write);
        while (!repeated.isDone() && !(isPending() && isBlocked())) {
            try {
                repeated.get(5, TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException notYet) {
                // The loop examines both.
            }
        }
        commitLate();
        try {
            return repeated.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreUnavailableException away && !away.maybeStored()) {
                // It waited too long for the lock. Its caller repeats it, too.
                return write.get();
            }
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    private synchronized boolean isPending() {
        return late != null;
    }

    /** Whether a transaction waits for a lock: only the late one can hold it. */
    private boolean isBlocked() throws SQLException {
        try (Connection connection = connections().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        isPostgreSql(connection)
                                ? "select count(*) from pg_locks where not granted"
                                : "select count(*) from information_schema.sessions where blocker_id is not null")) {
            row.next();
            return row.getInt(1) > 0;
        }
    }

    private static boolean isPostgreSql(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductName().equals("PostgreSQL");
    }

    private DataSource connections() {
        if (connections == null) {
            throw new IllegalStateException("no database uses these faults");
        }
        return connections;
    }

    private void commitLate() throws SQLException {
        Connection connection = removeLate();
        if (connection != null) {
            try (connection) {
                connection.commit();
            }
        }
    }

    private synchronized @Nullable Connection removeLate() {
        Connection connection = late;
        late = null;
        return connection;
    }

    /** Lets all further commits succeed, and rolls back a transaction that was to be committed late. */
    public void reset() throws SQLException {
        synchronized (this) {
            armed = null;
        }
        Connection connection = removeLate();
        if (connection != null) {
            try (connection) {
                connection.rollback();
            }
        }
    }
}
