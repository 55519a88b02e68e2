package org.sallyport.connector.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.Types;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.SecretReferences;
import org.sallyport.connector.document.ExactJson;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Executes the statements of one database, each call in a transaction of its own. A statement that only reads runs on a
 * read-only connection, and its transaction is rolled back. Thread-safe.
 */
final class SqlBackend implements BackendConnection {
    private static final long INITIAL_RETRY_DELAY_MILLIS = 1_000;
    private static final long MAX_RETRY_DELAY_MILLIS = 60_000;
    private static final String QUERY_CANCELED_STATE = "57014";
    private static final String INTEGRITY_VIOLATION_CLASS = "23";
    private static final String ROLLBACK_CLASS = "40";
    /** Of the class for rollbacks, but the database does not know whether it has rolled back. */
    private static final String UNKNOWN_COMPLETION_STATE = "40003";

    private final Map<String, NamedParameterStatement> statements;
    private final DataSourceFactory dataSourceFactory;
    private final SqlLimits limits;
    private final Supplier<SecretReferences> secrets;
    private final ConnectionListener listener;
    private final Executor executor;
    private final Map<CallId, RunningStatement> runningStatements = new ConcurrentHashMap<>();
    private volatile Redactor redactor = Redactor.NONE;
    private volatile @Nullable HikariDataSource dataSource;
    private volatile boolean closed;

    /** Opens the connection pool. */
    interface DataSourceFactory {
        HikariDataSource open(SecretReferences secrets);
    }

    /**
     * Limits of one call.
     *
     * @param maxRows maximum number of rows of a result
     * @param maxChars maximum number of characters of a result
     * @param timeout maximum duration of a statement
     */
    record SqlLimits(int maxRows, int maxChars, Duration timeout) {}

    SqlBackend(
            Map<String, NamedParameterStatement> statements,
            DataSourceFactory pool,
            SqlLimits limits,
            Supplier<SecretReferences> secrets,
            ConnectionListener listener,
            Executor executor) {
        this.statements = Map.copyOf(statements);
        this.dataSourceFactory = pool;
        this.limits = limits;
        this.secrets = secrets;
        this.listener = listener;
        this.executor = executor;
    }

    @Override
    public void start() {
        executor.execute(() -> connect(INITIAL_RETRY_DELAY_MILLIS));
    }

    private void connect(long pause) {
        if (closed) {
            return;
        }
        HikariDataSource opened = null;
        try {
            SecretReferences known = secrets.get();
            opened = dataSourceFactory.open(known);
            redactor = known.redactor();
            try (Connection connection = opened.getConnection()) {
                connection.isValid(1);
            }
            listener.onToolsDeclared(statements.values().stream()
                    .map(NamedParameterStatement::definition)
                    .toList());
            dataSource = opened;
            if (closed) {
                opened.close();
                return;
            }
            listener.onStateChanged(BackendState.READY, Optional.empty());
        } catch (SQLException | RuntimeException e) {
            if (opened != null) {
                opened.close();
            }
            listener.onStateChanged(
                    BackendState.DOWN, Optional.of("the database cannot be reached: " + e.getMessage()));
            CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, executor)
                    .execute(() -> connect(Math.min(MAX_RETRY_DELAY_MILLIS, pause * 2)));
        }
    }

    @Override
    public CompletionStage<ToolResult> call(BackendRequest call) {
        NamedParameterStatement statement = statements.get(call.tool());
        HikariDataSource connections = dataSource;
        if (statement == null || connections == null) {
            return CompletableFuture.completedFuture(ToolResult.failure(
                    statement == null ? ToolErrorCode.TOOL_NOT_FOUND : ToolErrorCode.BACKEND_UNAVAILABLE,
                    statement == null
                            ? "there is no statement '" + call.tool() + "'"
                            : "the database is not connected"));
        }
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        RunningStatement work = new RunningStatement(statement);
        runningStatements.put(call.id(), work);
        executor.execute(() -> {
            try {
                result.complete(execute(call, connections, work));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            } catch (Error e) {
                result.completeExceptionally(e);
                throw e; // ends the process if memory has run out
            } finally {
                runningStatements.remove(call.id(), work);
                work.end();
            }
        });
        return result;
    }

    private ToolResult execute(BackendRequest call, HikariDataSource connections, RunningStatement work) {
        NamedParameterStatement statement = work.statement();
        try (Connection connection = connections.getConnection()) {
            connection.setAutoCommit(false);
            connection.setReadOnly(!statement.writes());
            try (PreparedStatement prepared = connection.prepareStatement(statement.sql())) {
                bind(prepared, statement, readArguments(call, statement));
                if (!work.beginExecution(prepared)) {
                    return cancelledResult(call, work);
                }
                JsonNode value = fetch(prepared);
                if (statement.writes() ? !work.beginCommit() : work.isCancelled()) {
                    return cancelledResult(call, work);
                }
                if (statement.writes()) {
                    connection.commit();
                }
                return ToolResult.success(new Json(value.toString()));
            } finally {
                rollBack(connection);
            }
        } catch (SQLException e) {
            return failure(call, e, work);
        } catch (ResultSetMapper.ResultTooLargeException e) {
            return ToolResult.failure(ToolErrorCode.TOO_LARGE, "'" + call.tool() + "' " + e.getMessage());
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return ToolResult.failure(
                    ToolErrorCode.INVALID_ARGUMENTS,
                    "'" + call.tool() + "' cannot be called with these arguments: " + e.getMessage());
        }
    }

    /** Rolls back the transaction; has no effect after a commit. */
    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // The database rolls back the transaction of a lost connection, and the pool removes the connection. The
            // earlier error is reported.
            System.getLogger(SqlBackend.class.getName())
                    .log(
                            System.Logger.Level.DEBUG,
                            "a rollback failed; the database rolls back when the connection" + " closes",
                            e);
        }
    }

    private static ToolResult cancelledResult(BackendRequest call, RunningStatement work) {
        String what = "'" + call.tool() + "' was cancelled";
        if (!work.mayHaveEffect()) {
            return ToolResult.failure(ToolErrorCode.CANCELLED, what + " and changed nothing");
        }
        return call.repeatable()
                ? ToolResult.failure(ToolErrorCode.TIMEOUT, what + " before it ended")
                : ToolResult.failure(
                        ToolErrorCode.OUTCOME_UNKNOWN, what + " before it ended; it may have had its effect");
    }

    private JsonNode fetch(PreparedStatement prepared) throws SQLException, ResultSetMapper.ResultTooLargeException {
        // Behind the time limit of the call, because its withdrawal reports whether there was an effect.
        prepared.setQueryTimeout((int) limits.timeout().toSeconds() + 1);
        prepared.setMaxRows(limits.maxRows() + 1);
        prepared.setFetchSize(Math.min(1_000, limits.maxRows() + 1));
        if (prepared.execute()) {
            try (ResultSet rows = prepared.getResultSet()) {
                return ResultSetMapper.toJson(rows, limits.maxRows(), limits.maxChars());
            }
        }
        ObjectNode done = JsonNodeFactory.instance.objectNode();
        return done.put("updated", prepared.getUpdateCount());
    }

    /** Returns the arguments of a call, and its id as one more if the statement takes it. */
    private static JsonNode readArguments(BackendRequest call, NamedParameterStatement statement)
            throws JsonProcessingException {
        JsonNode arguments = ExactJson.MAPPER.readTree(call.arguments().text());
        return statement.sendsCallId() && arguments instanceof ObjectNode object
                ? object.put(NamedParameterStatement.CALL_ID, call.id().toString())
                : arguments;
    }

    /** Binds arguments as values, never as part of the SQL text; lists and objects as JSON. */
    private static void bind(PreparedStatement prepared, NamedParameterStatement statement, JsonNode arguments)
            throws SQLException {
        int place = 1;
        for (String name : statement.parameters()) {
            JsonNode value = arguments.path(name);
            if (value.isMissingNode() || value.isNull()) {
                prepared.setNull(place, Types.NULL);
            } else if (value.isTextual()) {
                prepared.setString(place, value.textValue());
            } else if (value.isBoolean()) {
                prepared.setBoolean(place, value.booleanValue());
            } else if (value.isIntegralNumber() && value.canConvertToLong()) {
                prepared.setLong(place, value.longValue());
            } else if (value.isNumber()) {
                prepared.setBigDecimal(place, value.decimalValue());
            } else {
                prepared.setString(place, value.toString());
            }
            place++;
        }
    }

    private static boolean wasCanceled(SQLException e) {
        return e instanceof SQLTimeoutException || QUERY_CANCELED_STATE.equals(e.getSQLState());
    }

    /** Whether the database reports that it has rolled back the transaction whose commit failed. */
    private static boolean wasRolledBack(String state) {
        return state.equals(QUERY_CANCELED_STATE)
                || state.startsWith(INTEGRITY_VIOLATION_CLASS)
                || state.startsWith(ROLLBACK_CLASS) && !state.equals(UNKNOWN_COMPLETION_STATE);
    }

    private static ToolResult failure(BackendRequest call, SQLException e, RunningStatement work) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        boolean lost =
                state.startsWith("08") || state.startsWith("57P") || e instanceof SQLTransientConnectionException;
        if (work.isCommitting() && wasRolledBack(state)) {
            work.commitFailed();
        }
        if (wasCanceled(e)) {
            return work.isCancelled() || work.mayHaveEffect()
                    ? cancelledResult(call, work)
                    : ToolResult.failure(
                            ToolErrorCode.TIMEOUT, "'" + call.tool() + "' did not end in time and was cancelled");
        } else if (lost) {
            return ToolResult.failure(
                    work.statement().writes() && work.mayHaveEffect()
                            ? ToolErrorCode.OUTCOME_UNKNOWN
                            : ToolErrorCode.BACKEND_UNAVAILABLE,
                    "'" + call.tool() + "' was not answered: the connection to the database was lost");
        } else if (work.isCommitting()) {
            return ToolResult.failure(
                    ToolErrorCode.OUTCOME_UNKNOWN,
                    "'" + call.tool() + "' may have had its effect: its commit failed with SQL state '" + state + "'");
        }
        ObjectNode details = JsonNodeFactory.instance.objectNode().put("sqlState", state);
        String message = String.valueOf(e.getMessage());
        return new ToolResult.ToolFailure(new ToolError(
                ToolErrorCode.TOOL_FAILED,
                "'" + call.tool() + "' failed: " + (message.length() > 500 ? message.substring(0, 500) + "…" : message),
                Optional.of(new Json(details.toString()))));
    }

    @Override
    public void cancel(CallId call) {
        RunningStatement work = runningStatements.get(call);
        if (work != null && !work.cancelUnlessExecuted()) {
            executor.execute(work::cancel);
        }
    }

    /** A statement that is not executed yet, or is cancelled before its transaction is committed, changes nothing. */
    @Override
    public CompletionStage<Boolean> withdraw(CallId call) {
        RunningStatement work = runningStatements.get(call);
        if (work == null) {
            return CompletableFuture.completedStage(false);
        }
        if (work.cancelUnlessExecuted()) {
            return CompletableFuture.completedStage(true);
        }
        executor.execute(work::cancel);
        return work.withoutEffect();
    }

    @Override
    public Redactor redactor() {
        return redactor;
    }

    @Override
    public void close() {
        closed = true;
        runningStatements.values().forEach(work -> executor.execute(work::cancel));
        HikariDataSource connections = dataSource;
        if (connections != null) {
            executor.execute(connections::close);
        }
    }
}
