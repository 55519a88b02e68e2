package org.sallyport.connector.mcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import javax.tools.ToolProvider;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.connector.BackendConsumers;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.BackendSnapshot;
import org.sallyport.connector.Connector;
import org.sallyport.connector.ConnectorDispatcher;
import org.sallyport.connector.InMemoryBackendStore;
import org.sallyport.connector.SecretResolverFactory;
import org.sallyport.connector.VaultFixtures;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.secrets.SecretVault;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** Backends without the service around them: method calls replace messages, and memory replaces the database. */
final class McpHarness implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final ThreadFactory DAEMON_THREADS = task -> {
        Thread thread = new Thread(task, "mcp-test");
        thread.setDaemon(true);
        return thread;
    };

    final InMemoryBackendStore store = new InMemoryBackendStore();
    final ToolCatalog catalog = new ToolCatalog();
    final SecretVault vault = VaultFixtures.emptyVault();
    final BackendRegistry backends;
    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2, DAEMON_THREADS);
    private final ExecutorService executor = Executors.newCachedThreadPool(DAEMON_THREADS);
    private final java.util.Map<String, java.util.concurrent.CompletableFuture<ToolResult>> waiting =
            new java.util.concurrent.ConcurrentHashMap<>();
    private final AtomicLong calls = new AtomicLong();
    private final ConnectorDispatcher dispatcher;

    McpHarness() {
        dispatcher = new ConnectorDispatcher(
                List.<Connector>of(),
                new MessageSender() {
                    @Override
                    public void send(OutgoingMessage message) {
                        var call = waiting.remove(String.valueOf(message.correlationId()));
                        if (call != null) {
                            call.complete(ToolReplyMessage.decode(message.body())
                                    .reply()
                                    .result());
                        }
                    }

                    @Override
                    public int countWaiting(String queue, int maxCount) {
                        return 0;
                    }

                    @Override
                    public void ping() {}
                },
                InstantSource.system(),
                Long.parseLong(LimitSettings.MAX_CALL_RESULT_CHARS.defaultText()),
                "node-1",
                new MemoryBudgets(0, 0).calls());
        SecretResolverFactory secrets = new SecretResolverFactory(vault);
        BackendConsumers queues = queue -> () -> {};
        backends = new BackendRegistry(
                store,
                catalog,
                dispatcher,
                queues,
                List.of(
                        new McpStdioBackendType(scheduler, executor, DAEMON_THREADS, new Random(1), secrets),
                        new McpHttpBackendType(scheduler, executor, new Random(1), secrets)),
                secrets,
                new BackendRegistry.BackendExecutors(scheduler, executor),
                InstantSource.system());
        backends.start(List.of());
    }

    /**
     * The hostile server, compiled once for all tests: a program that is run from its source is compiled at each start.
     */
    private static final class CompiledHostileServer {
        static final Path CLASSES = compiled();

        private static Path compiled() {
            try {
                Path source = Path.of(
                        McpHarness.class.getResource("HostileServer.java").toURI());
                Path classes = Files.createTempDirectory("hostile-server-");
                int errors = ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-nowarn", "-d", classes.toString(), source.toString());
                if (errors != 0) {
                    throw new AssertionError(source + " does not compile");
                }
                return classes;
            } catch (URISyntaxException e) {
                throw new AssertionError(e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Adds a hostile server that misbehaves in the given way. */
    McpHarness addHostile(String name, String how, String moreSettings) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return add(
                name,
                "{\"command\":\"" + java + "\",\"args\":[\"-XX:TieredStopAtLevel=1\",\"-XX:+UseSerialGC\",\"-cp\",\""
                        + CompiledHostileServer.CLASSES + "\",\"HostileServer\",\"" + how + "\"]" + moreSettings + "}");
    }

    McpHarness add(String name, String settings) {
        return add(name, "mcp-stdio", settings);
    }

    McpHarness add(String name, String kind, String settings) {
        if (backends.add(name, kind, new Json(settings), true, "t").isEmpty()) {
            throw new AssertionError(name + " is there already");
        }
        return this;
    }

    BackendSnapshot backend(String name) {
        return backends.find(name).orElseThrow();
    }

    void await(String name, BackendState state) {
        await(name + " is " + state, () -> backend(name).status().state() == state);
    }

    void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not in time: " + what + "; " + backends.list());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(10);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    java.util.concurrent.CompletableFuture<ToolResult> send(CallId id, String tool, String arguments) {
        var result = new java.util.concurrent.CompletableFuture<ToolResult>();
        waiting.put(id.toString(), result);
        ToolCall call = new ToolCall(
                id,
                "t",
                ToolName.parse(tool),
                new Json(arguments),
                Instant.now().plusSeconds(60));
        dispatcher.dispatch(new ToolRequestMessage(call, Instant.now()), id.toString(), "q", false);
        return result;
    }

    CallId nextId() {
        return new CallId("e", calls.incrementAndGet());
    }

    void cancel(CallId id) {
        dispatcher.cancel(id);
    }

    ToolResult call(String tool, String arguments) {
        try {
            return send(nextId(), tool, arguments).get(70, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException
                | InterruptedException
                | java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    String value(String tool, String arguments) {
        ToolResult result = call(tool, arguments);
        if (result instanceof ToolResult.ToolSuccess success) {
            return success.value().text();
        }
        throw new AssertionError(result);
    }

    ToolError error(String tool, String arguments) {
        ToolResult result = call(tool, arguments);
        if (result instanceof ToolResult.ToolFailure failure) {
            return failure.error();
        }
        throw new AssertionError(result);
    }

    @Override
    public void close() {
        backends.close();
        scheduler.shutdownNow();
        executor.shutdownNow();
    }
}
