package org.sallyport.connector;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.sallyport.bean.Backend;
import org.sallyport.bean.Tool;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.bean.BackendBean;
import org.sallyport.connector.bean.BeanBackendType;
import org.sallyport.connector.external.SilentConnectorFixture;
import org.sallyport.connector.http.HttpBackendType;
import org.sallyport.connector.mcp.McpHttpBackendType;
import org.sallyport.connector.mcp.McpStdioBackendType;
import org.sallyport.connector.sallyport.SallyportBackendType;
import org.sallyport.connector.sql.SqlBackendType;
import org.sallyport.tool.Json;

/**
 * A backend of any kind with the tools {@code post}, which must not be repeated, and {@code put}, which may be. Its
 * server, process, database or bean receives calls and does not answer them.
 */
final class SilentBackendFixture implements AutoCloseable {
    static final String NAME = "silent";
    /** Longer than a test lasts, so that no connection ends a call by a limit of its own. */
    static final long TIMEOUT_MILLIS = 3_000_000;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String EXTERNAL_TOOLS = "[{\"name\":\"post\"},{\"name\":\"put\",\"idempotent\":true}]";

    /** An MCP server. Its arguments are the answers to the first two requests, and the file that marks a call. */
    private static final String SHELL_SERVER = """
            while read -r line; do
              id=$(printf '%s' "$line" | sed 's/.*"id":\\("[^"]*"\\).*/\\1/')
              case "$line" in
                *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$1" ;;
                *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$2" ;;
                *'"method":"tools/call"'*) touch "$3" ;;
              esac
            done
            """;

    private static final String ENDLESS_COUNT =
            "select count(*) from system_range(1, 1000000) a, system_range(1, 1000000) b";
    private static final ThreadFactory DAEMON_THREADS = task -> {
        Thread thread = new Thread(task, "silent-backend");
        thread.setDaemon(true);
        return thread;
    };

    private final ExecutorService executor = Executors.newCachedThreadPool(DAEMON_THREADS);
    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1, DAEMON_THREADS);
    private final AtomicInteger receivedCalls = new AtomicInteger();
    private final SilentHttpServer server = new SilentHttpServer(executor, receivedCalls::incrementAndGet);
    private final Path mark;
    private final String databaseUrl = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final CompletableFuture<List<ToolDefinition>> tools = new CompletableFuture<>();
    private final CompletableFuture<BackendState> ready = new CompletableFuture<>();
    private final BooleanSupplier callReceived;
    private final BackendConnection connection;

    /**
     * Opens a backend and waits until it is ready.
     *
     * @param kind the kind of the backend; {@code external (queued)} for one whose connector takes no calls
     * @param directory an empty directory
     */
    SilentBackendFixture(String kind, Path directory) throws IOException, SQLException {
        mark = directory.resolve("called");
        callReceived = switch (kind) {
            case "mcp-stdio" -> () -> Files.exists(mark);
            case "sql" -> this::isStatementRunning;
            default -> () -> receivedCalls.get() > 0;
        };
        connection = open(kind);
        connection.start();
        await(ready);
    }

    private BackendConnection open(String kind) throws SQLException {
        SecretResolverFactory secrets = VaultFixtures.NO_SECRETS;
        Random random = new Random(1);
        String url = server.url();
        return switch (kind) {
            case "java" -> {
                SilentToolBean bean = new SilentToolBean(receivedCalls);
                yield open(
                        new BeanBackendType(
                                List.of(new BackendBean(SilentToolBean.class, Optional.empty(), () -> bean)),
                                Set.of(),
                                executor),
                        settings());
            }
            case "http" -> {
                ObjectNode settings = settings().put("baseUrl", url).put("allowPrivate", true);
                ObjectNode operations = settings.putObject("operations");
                operations.putObject("post").put("method", "POST").put("path", "/post");
                operations.putObject("put").put("method", "PUT").put("path", "/put");
                yield open(new HttpBackendType(executor, secrets), settings);
            }
            case "mcp-http" ->
                open(
                        new McpHttpBackendType(scheduler, executor, random, secrets),
                        settings().put("url", url + "/mcp"));
            case "mcp-stdio" -> {
                ObjectNode settings = settings().put("command", "sh");
                settings.putArray("args")
                        .add("-c")
                        .add(SHELL_SERVER)
                        .add("sh")
                        .add(SilentHttpServer.MCP_INITIALIZED)
                        .add(SilentHttpServer.MCP_TOOLS)
                        .add(mark.toString());
                yield open(new McpStdioBackendType(scheduler, executor, DAEMON_THREADS, random, secrets), settings);
            }
            case "sallyport" ->
                open(
                        new SallyportBackendType(executor, secrets, (tenant, call) -> 0, InstantSource.system()),
                        settings()
                                .put("url", url)
                                .put("key", "sp_0123456789abcdef")
                                .put("allowPrivate", true));
            case "sql" -> openDatabase(secrets);
            case "external", "external (queued)" ->
                SilentConnectorFixture.open(
                        NAME,
                        EXTERNAL_TOOLS,
                        kind.equals("external"),
                        receivedCalls::incrementAndGet,
                        new ReadyListener(),
                        new BackendRegistry.BackendExecutors(scheduler, executor));
            default -> throw new IllegalArgumentException(kind);
        };
    }

    /** The additional tool {@code call} may commit by itself. */
    private BackendConnection openDatabase(SecretResolverFactory secrets) throws SQLException {
        try (Connection database = DriverManager.getConnection(databaseUrl);
                Statement statement = database.createStatement()) {
            statement.execute("create table note (id integer primary key)");
            statement.execute("insert into note values (1)");
        }
        String update = "update note set id = 2 where id = 1 and (" + ENDLESS_COUNT + ") > 0";
        ObjectNode settings = settings().put("url", databaseUrl);
        ObjectNode statements = settings.putObject("statements");
        statements.putObject("post").put("sql", update).put("writes", true);
        statements.putObject("put").put("sql", update).put("writes", true).put("idempotent", true);
        statements.putObject("call").put("sql", "call (" + ENDLESS_COUNT + ")").put("writes", true);
        return open(new SqlBackendType(executor, secrets), settings);
    }

    private BackendConnection open(BackendType kind, ObjectNode settings) {
        return kind.open(
                new BackendDefinition(
                        NAME,
                        kind.name(),
                        new Json(settings.toString()),
                        true,
                        BackendDefinition.BackendOrigin.FILE,
                        "1"),
                new ReadyListener());
    }

    /** The common settings: one call runs at a time. */
    static ObjectNode settings() {
        return JSON.createObjectNode().put("timeoutMillis", TIMEOUT_MILLIS).put("concurrency", 1);
    }

    private final class ReadyListener implements BackendConnection.ConnectionListener {
        @Override
        public void onStateChanged(BackendState state, Optional<String> error) {
            if (state == BackendState.READY) {
                ready.complete(state);
            }
        }

        @Override
        public void onToolsDeclared(List<ToolDefinition> declared) {
            tools.complete(declared);
        }
    }

    /** The bean of the kind {@code java}. */
    @Backend(NAME)
    public static final class SilentToolBean {
        private final AtomicInteger receivedCalls;

        SilentToolBean(AtomicInteger receivedCalls) {
            this.receivedCalls = receivedCalls;
        }

        @Tool("Has an effect each time.")
        public void post() throws InterruptedException {
            receivedCalls.incrementAndGet();
            new CountDownLatch(1).await();
        }

        @Tool(value = "Has its effect once.", idempotent = true)
        public void put() throws InterruptedException {
            post();
        }
    }

    private boolean isStatementRunning() {
        try (Connection database = DriverManager.getConnection(databaseUrl);
                Statement statement = database.createStatement();
                ResultSet row = statement.executeQuery("select count(*) from information_schema.sessions"
                        + " where session_id <> session_id() and executing_statement like '%system_range%'")) {
            row.next();
            return row.getInt(1) > 0;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    BackendConnection connection() {
        return connection;
    }

    /** The tools that the backend declared. */
    List<ToolDefinition> tools() {
        return await(tools);
    }

    /** Runs the tasks of the backend that wait. */
    ExecutorService executor() {
        return executor;
    }

    /** Waits until a call has arrived at the server, process, database or bean. */
    void awaitCall() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!callReceived.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("no call was received");
            }
            try {
                TimeUnit.MILLISECONDS.sleep(10);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        connection.close();
        server.close();
        executor.shutdown();
        scheduler.shutdownNow();
    }
}
