package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpClientTransport;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.SecretReferences;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Keeps one MCP server connected. Reconnects with backoff when the server ends, does not initialize in time, or does
 * not answer pings. Thread-safe.
 */
final class McpBackend implements BackendConnection {
    private static final long INITIAL_RETRY_DELAY_MILLIS = 500;
    private static final long MAX_RETRY_DELAY_MILLIS = 60_000;
    private static final long STABLE_AFTER_MILLIS = 20_000;
    private static final int MAX_MISSED_PINGS = 3;

    private final McpTransportFactory transportFactory;
    private final McpClientOptions options;
    private final ConnectionListener listener;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Supplier<SecretReferences> secrets;
    private final RandomGenerator random;
    private final ReconnectBackoff backoff;
    private @Nullable McpConnection current;
    private @Nullable ToolListRefresher toolListRefresher;
    private @Nullable ScheduledFuture<?> pingTask;
    private volatile @Nullable McpConnection readyConnection;
    private volatile Redactor redactor = Redactor.NONE;
    private McpServerFaults faults = new McpServerFaults(Optional.empty());
    private boolean closed;

    /** Creates the transport of a new connection. */
    interface McpTransportFactory {
        /**
         * Creates a transport that is not connected.
         *
         * @param secrets resolves the references in the settings
         * @param ended receives the reason when the transport ends by itself
         */
        McpClientTransport create(SecretReferences secrets, Consumer<String> ended);
    }

    /**
     * How the server is called.
     *
     * @param startTimeout maximum time until a server has initialized and listed its tools
     * @param pingInterval interval between two pings
     * @param sendCallId whether each call carries its id as an idempotency key
     */
    record McpClientOptions(Duration startTimeout, Duration pingInterval, boolean sendCallId) {}

    McpBackend(
            McpTransportFactory wire,
            McpClientOptions options,
            ConnectionListener listener,
            ScheduledExecutorService scheduler,
            Executor executor,
            Supplier<SecretReferences> secrets,
            RandomGenerator random) {
        this.transportFactory = wire;
        this.options = options;
        this.listener = listener;
        this.scheduler = scheduler;
        this.executor = executor;
        this.secrets = secrets;
        this.random = random;
        this.backoff = new ReconnectBackoff(INITIAL_RETRY_DELAY_MILLIS, MAX_RETRY_DELAY_MILLIS, random);
    }

    @Override
    public void start() {
        listener.onStateChanged(BackendState.STARTING, Optional.empty());
        executor.execute(this::connect);
    }

    private void connect() {
        McpConnection connection;
        synchronized (this) {
            if (closed) {
                return;
            }
            try {
                connection = openConnection();
            } catch (RuntimeException e) {
                scheduleReconnect(FailureMessages.of(e), Duration.ZERO);
                return;
            }
            current = connection;
        }
        listener.onStateChanged(BackendState.STARTING, Optional.empty());
        connection
                .initialize()
                .thenCompose(done -> listTools(connection))
                .thenAcceptAsync(tools -> onConnected(connection, tools), executor)
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        onBroken(connection, "did not start: " + startFailure(failure), pauseAfter(failure));
                    }
                });
    }

    private static String startFailure(Throwable failure) {
        String reason = FailureMessages.of(failure);
        return McpFailure.of(failure) instanceof McpFailure.RequestRefused refused && refused.mayBeOfOlderTransport()
                ? reason + "; the URL must be that of Streamable HTTP: the older transport with SSE is not supported"
                : reason;
    }

    private static Duration pauseAfter(Throwable failure) {
        return McpFailure.of(failure) instanceof McpFailure.RequestRefused refused
                ? refused.reconnectPause()
                : Duration.ZERO;
    }

    private static CompletionStage<McpToolList> listTools(McpConnection connection) {
        return connection.listTools().exceptionally(failure -> {
            throw new IllegalStateException(
                    "it did not list its tools (tools/list): " + FailureMessages.of(failure), failure);
        });
    }

    private McpConnection openConnection() {
        // A future, because the transport may end before the connection object exists.
        CompletableFuture<McpConnection> itself = new CompletableFuture<>();
        SecretReferences resolved = secrets.get();
        McpClientTransport transport;
        try {
            transport = transportFactory.create(
                    resolved,
                    why -> itself.thenAcceptAsync(connection -> onBroken(connection, why, Duration.ZERO), executor));
        } finally {
            redactor = resolved.redactor(); // a failure may show a value, too
        }
        ToolListRefresher changes = newToolListRefresher();
        McpConnection connection = new McpConnection(
                transport, options.startTimeout(), options.sendCallId(), newConnectionListener(changes));
        itself.complete(connection);
        toolListRefresher = changes;
        return connection;
    }

    private void onConnected(McpConnection connection, McpToolList list) {
        listener.onToolsDeclared(list.tools());
        ToolListRefresher changes;
        synchronized (this) {
            if (closed || current != connection) {
                return;
            }
            readyConnection = connection;
            faults = new McpServerFaults(list.note());
            changes = toolListRefresher;
            long millis = options.pingInterval().toMillis();
            pingTask = scheduler.scheduleWithFixedDelay(() -> ping(connection), millis, millis, TimeUnit.MILLISECONDS);
            scheduler.schedule(() -> onStable(connection), STABLE_AFTER_MILLIS, TimeUnit.MILLISECONDS);
            reportState();
        }
        if (changes != null) {
            changes.start(list, connection::listTools);
        }
    }

    private synchronized void reportState() {
        listener.onStateChanged(faults.state(), faults.description());
    }

    private synchronized void onStable(McpConnection connection) {
        if (current == connection) {
            backoff.reset();
        }
    }

    private void ping(McpConnection connection) {
        connection.ping().whenComplete((done, failure) -> {
            boolean lost;
            synchronized (this) {
                if (current != connection || !faults.recordPing(failure)) {
                    return;
                }
                // A busy server may not answer pings, so that open calls keep the connection. If the connect itself
                // fails, no server listens and the calls are lost.
                lost = faults.missedPings() >= MAX_MISSED_PINGS
                        && (!connection.hasOpenCalls() || failure != null && McpFailure.isConnectFailure(failure));
                if (!lost) {
                    reportState();
                }
            }
            if (lost) {
                executor.execute(
                        () -> onBroken(connection, "did not answer " + MAX_MISSED_PINGS + " pings", Duration.ZERO));
            }
        });
    }

    private synchronized void updateRefusal(McpConnection connection, Optional<String> refusal) {
        if (readyConnection == connection && faults.recordCall(refusal)) {
            reportState();
        }
    }

    private synchronized void updateListing(Optional<String> failure, Optional<String> note) {
        if (readyConnection != null && faults.recordListing(failure, note)) {
            reportState();
        }
    }

    private McpConnection.McpConnectionListener newConnectionListener(ToolListRefresher changes) {
        return new McpConnection.McpConnectionListener() {
            @Override
            public void onToolsChanged() {
                changes.markChanged();
            }

            @Override
            public void onCredentialsRefused(McpConnection refused, String why) {
                updateRefusal(refused, Optional.of(why));
            }

            @Override
            public void onCredentialsAccepted(McpConnection accepted) {
                updateRefusal(accepted, Optional.empty());
            }

            @Override
            public void onBroken(McpConnection broken, String why) {
                executor.execute(() -> McpBackend.this.onBroken(broken, why, Duration.ZERO));
            }
        };
    }

    private ToolListRefresher newToolListRefresher() {
        return new ToolListRefresher(
                new ReconnectBackoff(INITIAL_RETRY_DELAY_MILLIS, MAX_RETRY_DELAY_MILLIS, random),
                new ReconnectBackoff(ToolListRefresher.COALESCE_MILLIS, MAX_RETRY_DELAY_MILLIS, random),
                scheduler,
                executor,
                new ToolListRefresher.ToolListListener() {
                    @Override
                    public void onTools(McpToolList list) {
                        listener.onToolsDeclared(list.tools());
                        updateListing(Optional.empty(), list.note());
                    }

                    @Override
                    public void onListingFailed(Throwable why) {
                        updateListing(
                                Optional.of("its tools changed and cannot be listed: " + FailureMessages.of(why)),
                                Optional.empty());
                    }
                });
    }

    /** @param pause how long to wait at least before the next connection */
    private void onBroken(McpConnection connection, String why, Duration pause) {
        synchronized (this) {
            if (current != connection) {
                connection.close();
                return;
            }
            clearConnection();
        }
        // The state is reported first, so that callers of lost calls find the reason.
        scheduleReconnect(why, pause);
        connection.close();
    }

    private synchronized void clearConnection() {
        current = null;
        readyConnection = null;
        if (pingTask != null) {
            pingTask.cancel(false);
        }
        if (toolListRefresher != null) {
            toolListRefresher.close();
        }
    }

    private void scheduleReconnect(String why, Duration atLeast) {
        long pause;
        synchronized (this) {
            if (closed) {
                return;
            }
            pause = Math.max(atLeast.toMillis(), backoff.nextDelayMillis());
        }
        listener.onStateChanged(BackendState.DOWN, Optional.of(why));
        scheduler.schedule(() -> executor.execute(this::connect), pause, TimeUnit.MILLISECONDS);
    }

    @Override
    public CompletionStage<ToolResult> call(BackendRequest call) {
        McpConnection connection = readyConnection;
        return connection == null
                ? CompletableFuture.completedFuture(
                        ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "the server is not connected"))
                : connection.call(call);
    }

    @Override
    public void cancel(CallId call) {
        McpConnection connection = readyConnection;
        if (connection != null) {
            connection.cancel(call);
        }
    }

    @Override
    public Optional<String> lastProgress(CallId call) {
        McpConnection connection = readyConnection;
        return connection == null ? Optional.empty() : connection.lastProgress(call);
    }

    @Override
    public Redactor redactor() {
        return redactor;
    }

    @Override
    public void close() {
        McpConnection last;
        synchronized (this) {
            closed = true;
            last = current;
            clearConnection();
        }
        if (last != null) {
            last.close();
        }
    }
}
