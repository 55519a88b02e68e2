package org.sallyport.connector.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * MCP over Streamable HTTP. Unlike the SDK's transport it tells why a request has no answer, continues streams, and
 * renews a session that the server does not know without a new connection. Serves one connection. Thread-safe.
 */
final class StreamableHttpTransport implements McpClientTransport {
    private final McpHttpClient client;
    private final ScheduledExecutorService scheduler;
    private final RandomGenerator random;
    private final Duration responseTimeout;
    private final Consumer<String> onEnded;
    /** Open exchanges, those of requests by their ids. */
    private final Map<Object, McpHttpExchange> exchanges = new ConcurrentHashMap<>();

    private volatile Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler = message -> Mono.empty();
    private volatile McpHttpSession session = McpHttpSession.NONE;
    private volatile @Nullable JSONRPCRequest initializeRequest;
    private @Nullable CompletableFuture<McpHttpSession> renewal;
    private @Nullable ServerMessageStream serverMessages;
    private boolean closed;

    /**
     * @param responseTimeout timeout of requests that a server must answer promptly
     * @param ended receives the reason when the transport ends by itself
     */
    StreamableHttpTransport(
            McpHttpClient client,
            ScheduledExecutorService scheduler,
            RandomGenerator random,
            Duration responseTimeout,
            Consumer<String> ended) {
        this.client = client;
        this.scheduler = scheduler;
        this.random = random;
        this.responseTimeout = responseTimeout;
        this.onEnded = ended;
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> receiver) {
        return Mono.fromRunnable(() -> handler = receiver);
    }

    private void receive(JSONRPCMessage message) {
        McpMessageDispatcher.dispatch(message, handler);
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromFuture(() -> send(message));
    }

    private CompletableFuture<Void> send(JSONRPCMessage message) {
        Optional<Object> cancelledId = cancelledId(message);
        if (cancelledId.isPresent()) {
            return cancel(cancelledId.get(), message);
        }
        boolean initializes =
                message instanceof JSONRPCRequest request && request.method().equals(McpSchema.METHOD_INITIALIZE);
        if (initializes) {
            initializeRequest = (JSONRPCRequest) message;
        }
        CompletableFuture<Void> sent =
                start(message, initializes ? McpHttpSession.NONE : session, new ExchangeReceiver());
        return isInitialized(message) ? sent.thenRun(this::openServerMessages) : sent;
    }

    private static Optional<Object> cancelledId(JSONRPCMessage message) {
        return message instanceof JSONRPCNotification notification
                        && notification.method().equals(FilteringTransport.CANCELLED)
                        && notification.params() instanceof Map<?, ?> params
                ? Optional.ofNullable(params.get("requestId"))
                : Optional.empty();
    }

    private static boolean isInitialized(JSONRPCMessage message) {
        return message instanceof JSONRPCNotification notification
                && notification.method().equals(McpSchema.METHOD_NOTIFICATION_INITIALIZED);
    }

    /** Tells the server first, because it must not take the end of a connection for a cancellation. */
    private CompletableFuture<Void> cancel(Object requestId, JSONRPCMessage notification) {
        McpHttpExchange cancelled = exchanges.get(requestId);
        if (cancelled != null) {
            cancelled.withdraw();
        }
        return start(notification, session, new ExchangeReceiver()).whenComplete((done, failure) -> {
            if (cancelled != null) {
                cancelled.abort();
            }
        });
    }

    private CompletableFuture<Void> start(
            JSONRPCMessage message, McpHttpSession to, McpHttpExchange.ExchangeListener listener) {
        McpHttpExchange exchange = new McpHttpExchange(client, scheduler, message, listener);
        Object key = message instanceof JSONRPCRequest request ? request.id() : exchange;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(
                        new McpFailure.McpFailureException(new McpFailure.RequestNotSent("the connection was closed")));
            }
            exchanges.put(key, exchange);
        }
        boolean isCall =
                message instanceof JSONRPCRequest request && request.method().equals(McpSchema.METHOD_TOOLS_CALL);
        return exchange.start(to, isCall ? McpConnection.MAX_CALL_DURATION : responseTimeout)
                .whenComplete((done, failure) ->
                        exchange.lastRequest().whenComplete((response, reason) -> exchanges.remove(key, exchange)));
    }

    /** Passes the messages of an exchange to the handler. */
    private final class ExchangeReceiver implements McpHttpExchange.ExchangeListener {
        @Override
        public void onMessage(JSONRPCMessage message) {
            receive(message);
        }

        @Override
        public void onAnswer(JSONRPCResponse answer, Optional<String> sessionId) {
            JSONRPCRequest first = initializeRequest;
            if (first != null && answer.id().equals(first.id())) {
                session = McpHttpSession.of(sessionId, answer);
            }
            receive(answer);
        }

        @Override
        public CompletableFuture<McpHttpSession> renewSession(McpHttpSession unknown) {
            return renew(unknown);
        }
    }

    /** Returns the session that follows one that the server does not know. Starts one session for all requests. */
    private CompletableFuture<McpHttpSession> renew(McpHttpSession unknown) {
        CompletableFuture<McpHttpSession> next = new CompletableFuture<>();
        JSONRPCRequest initialize = initializeRequest;
        synchronized (this) {
            if (!unknown.equals(session) || initialize == null) {
                return CompletableFuture.completedFuture(session);
            }
            if (renewal != null) {
                return renewal;
            }
            renewal = next;
        }
        new McpSessionStarter(this::start, this::receive, protocolVersions())
                .start(initialize)
                .whenComplete((started, failure) -> onRenewed(next, started, failure));
        return next;
    }

    private void onRenewed(
            CompletableFuture<McpHttpSession> next, @Nullable McpHttpSession started, @Nullable Throwable failure) {
        synchronized (this) {
            renewal = null;
            if (started != null) {
                session = started;
            }
        }
        if (failure == null) {
            next.complete(started);
            openServerMessages();
            // The server was probably replaced, so that its tools may be other ones.
            receive(new JSONRPCNotification(FilteringTransport.TOOLS_CHANGED));
        } else {
            // The requests that wait end first, with the certainty that they were not sent.
            next.completeExceptionally(failure);
            onEnded.accept("its session ended, and no new one could be started: " + FailureMessages.of(failure));
        }
    }

    private void openServerMessages() {
        McpHttpSession current = session;
        ServerMessageStream opened = new ServerMessageStream(client, current, scheduler, random, this::receive);
        synchronized (this) {
            if (serverMessages != null) {
                serverMessages.close();
            }
            serverMessages = opened;
            if (closed) {
                return;
            }
        }
        opened.open();
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(this::end);
    }

    private void end() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            if (serverMessages != null) {
                serverMessages.close();
            }
        }
        List.copyOf(exchanges.values()).forEach(McpHttpExchange::abort);
        if (session.id().isPresent()) {
            client.deleteSession(session);
        }
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return McpJson.SDK_MAPPER.convertValue(data, type);
    }
}
