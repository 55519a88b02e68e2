package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpClientTransport;
import java.time.Duration;
import java.util.List;
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
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.Secrets;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Keeps one MCP server connected: begins again, after a longer pause each time, when it ends, does not shake hands in time
 * or does not answer pings. Thread-safe.
 */
final class McpBackend implements LiveBackend {
    private static final long FIRST_PAUSE_MILLIS = 500;
    private static final long LONGEST_PAUSE_MILLIS = 60_000;
    private static final long STEADY_MILLIS = 20_000;
    private static final int MISSED_PINGS = 3;

    private final Wire wire;
    private final Timing timing;
    private final Listener listener;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Supplier<Secrets> secrets;
    private final RandomGenerator random;
    private final Backoff backoff;
    private @Nullable McpConnection current;
    private @Nullable Relisting relisting;
    private @Nullable ScheduledFuture<?> pings;
    private volatile @Nullable McpConnection ready;
    private volatile Redaction redaction = Redaction.NOTHING;
    private int missed;
    /** Why its tools are not known as they are now. */
    private Optional<String> unlisted = Optional.empty();

    private boolean closed;

    /** Makes the transport of a new connection. */
    interface Wire {
        /**
         * A transport that is not connected.
         *
         * @param secrets resolves what the settings refer to
         * @param ended to be told why the transport ended by itself
         */
        McpClientTransport transport(Secrets secrets, Consumer<String> ended);
    }

    /**
     * How long things may take.
     *
     * @param start until a server has shaken hands and said its tools
     * @param ping between two pings
     */
    record Timing(Duration start, Duration ping) {}

    McpBackend(
            Wire wire,
            Timing timing,
            Listener listener,
            ScheduledExecutorService scheduler,
            Executor executor,
            Supplier<Secrets> secrets,
            RandomGenerator random) {
        this.wire = wire;
        this.timing = timing;
        this.listener = listener;
        this.scheduler = scheduler;
        this.executor = executor;
        this.secrets = secrets;
        this.random = random;
        this.backoff = new Backoff(FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS, random);
    }

    @Override
    public void start() {
        listener.state(State.STARTING, Optional.empty());
        executor.execute(this::connect);
    }

    private void connect() {
        McpConnection connection;
        synchronized (this) {
            if (closed) {
                return;
            }
            try {
                connection = open();
            } catch (RuntimeException e) {
                again(Reasons.of(e));
                return;
            }
            current = connection;
        }
        listener.state(State.STARTING, Optional.empty());
        connection
                .begin()
                .thenCompose(done -> connection.tools())
                .thenAcceptAsync(tools -> stand(connection, tools), executor)
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        broken(connection, "did not start: " + Reasons.of(failure));
                    }
                });
    }

    private McpConnection open() {
        // The transport may end before the connection is known by its name.
        CompletableFuture<McpConnection> itself = new CompletableFuture<>();
        Secrets resolved = secrets.get();
        McpClientTransport transport = wire.transport(
                resolved, why -> itself.thenAcceptAsync(connection -> broken(connection, why), executor));
        redaction = resolved.redaction();
        Relisting changes = relisting();
        McpConnection connection = new McpConnection(transport, timing.start(), new McpConnection.Watcher() {
            @Override
            public void toolsChanged() {
                changes.changed();
            }

            @Override
            public void broken(McpConnection broken, String why) {
                executor.execute(() -> McpBackend.this.broken(broken, why));
            }
        });
        itself.complete(connection);
        relisting = changes;
        return connection;
    }

    private void stand(McpConnection connection, List<ToolDefinition> tools) {
        listener.tools(tools);
        Relisting changes;
        synchronized (this) {
            if (closed || current != connection) {
                return;
            }
            ready = connection;
            missed = 0;
            unlisted = Optional.empty();
            changes = relisting;
            long millis = timing.ping().toMillis();
            pings = scheduler.scheduleWithFixedDelay(() -> ping(connection), millis, millis, TimeUnit.MILLISECONDS);
            scheduler.schedule(() -> steady(connection), STEADY_MILLIS, TimeUnit.MILLISECONDS);
            say();
        }
        if (changes != null) {
            changes.begin(connection::tools);
        }
    }

    /** What is wrong with a server that stands, in one order for all who notice. */
    private synchronized void say() {
        Optional<String> wrong = missed > 0 ? Optional.of("it does not answer pings") : unlisted;
        listener.state(wrong.isPresent() ? State.DEGRADED : State.READY, wrong);
    }

    private synchronized void steady(McpConnection connection) {
        if (current == connection) {
            backoff.reset();
        }
    }

    private void ping(McpConnection connection) {
        connection.ping().whenComplete((done, failure) -> {
            boolean lost;
            synchronized (this) {
                int before = missed;
                if (current != connection || failure == null && before == 0) {
                    return;
                }
                missed = failure == null ? 0 : before + 1;
                // Who is at work may not get round to pings; where nobody listens, nobody is at work.
                lost = missed >= MISSED_PINGS
                        && (!connection.busy() || failure != null && McpConnection.nobodyIsThere(failure));
                if (!lost) {
                    say();
                }
            }
            if (lost) {
                executor.execute(() -> broken(connection, "did not answer " + MISSED_PINGS + " pings"));
            }
        });
    }

    private synchronized void listed(Optional<String> fault) {
        if (ready != null && !fault.equals(unlisted)) {
            unlisted = fault;
            say();
        }
    }

    private Relisting relisting() {
        return new Relisting(
                new Backoff(FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS, random),
                scheduler,
                executor,
                new Relisting.Ear() {
                    @Override
                    public void tools(List<ToolDefinition> tools) {
                        listener.tools(tools);
                        listed(Optional.empty());
                    }

                    @Override
                    public void unlisted(Throwable why) {
                        listed(Optional.of("its tools changed and cannot be listed: " + Reasons.of(why)));
                    }
                });
    }

    private void broken(McpConnection connection, String why) {
        synchronized (this) {
            if (current != connection) {
                connection.end();
                return;
            }
            forget();
        }
        // The state first: whoever hears of a lost call sees why.
        again(why);
        connection.end();
    }

    private synchronized void forget() {
        current = null;
        ready = null;
        if (pings != null) {
            pings.cancel(false);
        }
        if (relisting != null) {
            relisting.end();
        }
    }

    private void again(String why) {
        long pause;
        synchronized (this) {
            if (closed) {
                return;
            }
            pause = backoff.next();
        }
        listener.state(State.DOWN, Optional.of(why));
        scheduler.schedule(() -> executor.execute(this::connect), pause, TimeUnit.MILLISECONDS);
    }

    @Override
    public CompletionStage<ToolResult> call(Call call) {
        McpConnection connection = ready;
        return connection == null
                ? CompletableFuture.completedFuture(
                        ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "the server is not connected"))
                : connection.call(call);
    }

    @Override
    public void cancel(CallId call) {
        McpConnection connection = ready;
        if (connection != null) {
            connection.cancel(call);
        }
    }

    @Override
    public Optional<String> progress(CallId call) {
        McpConnection connection = ready;
        return connection == null ? Optional.empty() : connection.progress(call);
    }

    @Override
    public Redaction redaction() {
        return redaction;
    }

    @Override
    public void close() {
        McpConnection last;
        synchronized (this) {
            closed = true;
            last = current;
            forget();
        }
        if (last != null) {
            last.end();
        }
    }
}
