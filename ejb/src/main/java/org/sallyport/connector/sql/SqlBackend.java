package org.sallyport.connector.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.zaxxer.hikari.HikariDataSource;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
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
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.Secrets;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Carries out the statements of one database, each call in a transaction of its own. What only reads is rolled back in the end,
 * on a connection that was told so. Thread-safe.
 */
final class SqlBackend implements LiveBackend {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final long LONGEST_PAUSE_MILLIS = 60_000;
    private static final String CANCELLED = "57014";

    private final Map<String, NamedStatement> statements;
    private final Pool pool;
    private final Limits limits;
    private final Supplier<Secrets> secrets;
    private final Listener listener;
    private final Executor executor;
    private final Map<CallId, Work> open = new ConcurrentHashMap<>();
    private volatile Redaction redaction = Redaction.NOTHING;
    private volatile @Nullable HikariDataSource source;
    private volatile boolean closed;

    /** Opens the connections. */
    interface Pool {
        HikariDataSource open(Secrets secrets);
    }

    /**
     * What one call may take.
     *
     * @param rows of a result
     * @param chars of a result
     * @param time until a statement is given up
     */
    record Limits(int rows, int chars, Duration time) {}

    SqlBackend(
            Map<String, NamedStatement> statements,
            Pool pool,
            Limits limits,
            Supplier<Secrets> secrets,
            Listener listener,
            Executor executor) {
        this.statements = Map.copyOf(statements);
        this.pool = pool;
        this.limits = limits;
        this.secrets = secrets;
        this.listener = listener;
        this.executor = executor;
    }

    @Override
    public void start() {
        executor.execute(() -> begin(FIRST_PAUSE_MILLIS));
    }

    private void begin(long pause) {
        if (closed) {
            return;
        }
        HikariDataSource opened = null;
        try {
            Secrets known = secrets.get();
            opened = pool.open(known);
            redaction = known.redaction();
            try (Connection connection = opened.getConnection()) {
                connection.isValid(1);
            }
            listener.tools(
                    statements.values().stream().map(NamedStatement::definition).toList());
            source = opened;
            if (closed) {
                opened.close();
                return;
            }
            listener.state(State.READY, Optional.empty());
        } catch (SQLException | RuntimeException e) {
            if (opened != null) {
                opened.close();
            }
            listener.state(State.DOWN, Optional.of("the database cannot be reached: " + e.getMessage()));
            CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, executor)
                    .execute(() -> begin(Math.min(LONGEST_PAUSE_MILLIS, pause * 2)));
        }
    }

    @Override
    public CompletionStage<ToolResult> call(Call call) {
        NamedStatement statement = statements.get(call.tool());
        HikariDataSource connections = source;
        if (statement == null || connections == null) {
            return CompletableFuture.completedFuture(ToolResult.failure(
                    statement == null ? ToolErrorCode.TOOL_NOT_FOUND : ToolErrorCode.BACKEND_UNAVAILABLE,
                    statement == null
                            ? "there is no statement '" + call.tool() + "'"
                            : "the database is not connected"));
        }
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        Work work = new Work();
        open.put(call.id(), work);
        executor.execute(() -> {
            try {
                result.complete(answer(call, statement, connections, work));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            } finally {
                open.remove(call.id(), work);
            }
        });
        return result;
    }

    /** A call under way; it may be withdrawn before it has a statement that could be ended. */
    private static final class Work {
        private volatile boolean withdrawn;
        private volatile @Nullable Statement statement;

        void withdraw() {
            withdrawn = true;
            Statement running = statement;
            if (running != null) {
                end(running);
            }
        }
    }

    private ToolResult answer(Call call, NamedStatement statement, HikariDataSource connections, Work work) {
        boolean sent = false;
        try (Connection connection = connections.getConnection()) {
            connection.setAutoCommit(false);
            connection.setReadOnly(!statement.writes());
            try (PreparedStatement prepared = connection.prepareStatement(statement.sql())) {
                bind(prepared, statement, JSON.readTree(call.arguments().text()));
                work.statement = prepared;
                if (work.withdrawn) {
                    return withdrawn(call);
                }
                sent = true;
                JsonNode value = run(prepared);
                if (work.withdrawn) {
                    return withdrawn(call);
                }
                if (statement.writes()) {
                    connection.commit();
                }
                return ToolResult.success(new Json(value.toString()));
            } finally {
                rollBack(connection);
            }
        } catch (SQLException e) {
            return work.withdrawn && isEnded(e) ? withdrawn(call) : failure(call, e, sent && statement.writes());
        } catch (Rows.TooManyException e) {
            return ToolResult.failure(ToolErrorCode.TOO_LARGE, "'" + call.tool() + "' " + e.getMessage());
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return ToolResult.failure(
                    ToolErrorCode.INVALID_ARGUMENTS, "'" + call.tool() + "' cannot be called so: " + e.getMessage());
        }
    }

    /** Of what was committed nothing is left to be rolled back. */
    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // The database gives up what was begun on a connection that is lost, and the pool the connection; what was
            // said before is what counts.
            System.getLogger(SqlBackend.class.getName())
                    .log(System.Logger.Level.DEBUG, "a transaction ends with its connection", e);
        }
    }

    private static ToolResult withdrawn(Call call) {
        return ToolResult.failure(ToolErrorCode.CANCELLED, "'" + call.tool() + "' was cancelled and changed nothing");
    }

    private JsonNode run(PreparedStatement prepared) throws SQLException, Rows.TooManyException {
        prepared.setQueryTimeout((int) Math.max(1, limits.time().toSeconds()));
        prepared.setMaxRows(limits.rows() + 1);
        prepared.setFetchSize(Math.min(1_000, limits.rows() + 1));
        if (prepared.execute()) {
            try (ResultSet rows = prepared.getResultSet()) {
                return Rows.of(rows, limits.rows(), limits.chars());
            }
        }
        ObjectNode done = JsonNodeFactory.instance.objectNode();
        return done.put("updated", prepared.getUpdateCount());
    }

    /** As values, never as part of the text; lists and objects as JSON. */
    private static void bind(PreparedStatement prepared, NamedStatement statement, JsonNode arguments)
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
                prepared.setBigDecimal(place, new BigDecimal(value.asText()));
            } else {
                prepared.setString(place, value.toString());
            }
            place++;
        }
    }

    private static boolean isEnded(SQLException e) {
        return e instanceof SQLTimeoutException || CANCELLED.equals(e.getSQLState());
    }

    private static ToolResult failure(Call call, SQLException e, boolean wrote) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        boolean lost =
                state.startsWith("08") || state.startsWith("57P") || e instanceof SQLTransientConnectionException;
        if (isEnded(e)) {
            return ToolResult.failure(ToolErrorCode.TIMEOUT, "'" + call.tool() + "' did not end in time and was ended");
        } else if (lost) {
            return ToolResult.failure(
                    wrote ? ToolErrorCode.OUTCOME_UNKNOWN : ToolErrorCode.BACKEND_UNAVAILABLE,
                    "'" + call.tool() + "' was not answered: the database is away");
        }
        ObjectNode details = JsonNodeFactory.instance.objectNode().put("sqlState", state);
        String message = String.valueOf(e.getMessage());
        return new ToolResult.Failure(new ToolError(
                ToolErrorCode.TOOL_FAILED,
                "'" + call.tool() + "' failed: " + (message.length() > 500 ? message.substring(0, 500) + "…" : message),
                Optional.of(new Json(details.toString()))));
    }

    @Override
    public void cancel(CallId call) {
        Work work = open.get(call);
        if (work != null) {
            executor.execute(work::withdraw);
        }
    }

    private static void end(Statement statement) {
        try {
            statement.cancel();
        } catch (SQLException e) {
            System.getLogger(SqlBackend.class.getName())
                    .log(System.Logger.Level.DEBUG, "a statement cannot be ended", e);
        }
    }

    @Override
    public Redaction redaction() {
        return redaction;
    }

    @Override
    public void close() {
        closed = true;
        open.values().forEach(work -> executor.execute(work::withdraw));
        HikariDataSource connections = source;
        if (connections != null) {
            executor.execute(connections::close);
        }
    }
}
