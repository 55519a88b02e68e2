package org.sallyport.connector.mcp;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.sallyport.connector.BackendConnection.BackendRequest;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** One connection to an MCP server. It cannot be reopened after it has ended. Thread-safe. */
final class McpConnection {
    static final Duration MAX_CALL_DURATION = Duration.ofHours(2);
    /** Member of {@code _meta} with the id of the call, by which a server recognizes a call that is sent again. */
    private static final String IDEMPOTENCY_KEY = "org.sallyport/idempotencyKey";
    /** How long the handshake goes on after a response with an unknown id, which may be the answer to it. */
    private static final Duration UNKNOWN_ID_TIMEOUT = Duration.ofSeconds(2);

    private final McpAsyncClient client;
    private final FilteringTransport filteringTransport;
    private final Duration responseTimeout;
    private final boolean sendCallId;
    private final Map<CallId, PendingMcpCall> openCalls = new ConcurrentHashMap<>();
    private final Map<String, String> progressByToken = new ConcurrentHashMap<>();
    private final McpConnectionListener listener;
    private final AtomicBoolean closed = new AtomicBoolean();
    /** Whether the server refused the credentials of a call, and has answered none since. */
    private final AtomicBoolean credentialsRefused = new AtomicBoolean();

    private record PendingMcpCall(BackendRequest call, CompletableFuture<ToolResult> result, AtomicBoolean cancelled) {}

    /** Receives events of the connection. */
    interface McpConnectionListener {
        /** The server's tools may have changed. */
        void onToolsChanged();

        /** The server refused the credentials of a call. */
        void onCredentialsRefused(McpConnection connection, String why);

        /** The server answered a call after it had refused the credentials of another one. */
        void onCredentialsAccepted(McpConnection connection);

        /** The connection is broken and must be replaced. */
        void onBroken(McpConnection connection, String why);
    }

    /**
     * @param responseTimeout timeout of requests that a server must answer promptly
     * @param sendCallId whether each call carries its id as an idempotency key
     */
    McpConnection(
            McpClientTransport transport, Duration responseTimeout, boolean sendCallId, McpConnectionListener watcher) {
        this.responseTimeout = responseTimeout;
        this.sendCallId = sendCallId;
        this.listener = watcher;
        this.filteringTransport = new FilteringTransport(transport, new FilteringTransport.ServerMessageListener() {
            @Override
            public void onToolsChanged() {
                watcher.onToolsChanged();
            }

            @Override
            public void onProgress(String token, String said) {
                progressByToken.computeIfPresent(token, (known, before) -> said);
            }

            @Override
            public void onFlood(String how) {
                watcher.onBroken(McpConnection.this, how);
            }
        });
        this.client = McpClient.async(filteringTransport)
                .clientInfo(new McpSchema.Implementation("sallyport", "0.1.0"))
                .capabilities(McpSchema.ClientCapabilities.builder().build())
                .initializationTimeout(responseTimeout)
                .requestTimeout(MAX_CALL_DURATION)
                .jsonSchemaValidator(McpJson.NO_VALIDATION)
                .enableCallToolSchemaCaching(false)
                .build();
    }

    /** Initializes the session; the stage fails if the server does not answer in time, or with another id. */
    CompletionStage<Void> initialize() {
        Mono<Long> timeout = Mono.firstWithSignal(
                Mono.delay(responseTimeout), filteringTransport.awaitUnknownId().then(Mono.delay(UNKNOWN_ID_TIMEOUT)));
        return client.initialize()
                .timeout(timeout)
                .onErrorMap(this::withUnknownId)
                .then()
                .toFuture();
    }

    private Throwable withUnknownId(Throwable failure) {
        return filteringTransport
                .unknownId()
                .<Throwable>map(id -> new IllegalStateException(
                        FailureMessages.of(failure) + "; it answered with the id '" + id
                                + "', and no request has this id",
                        failure))
                .orElse(failure);
    }

    /** Lists all pages of the server's tools. */
    CompletionStage<McpToolList> listTools() {
        var offered = client.getServerCapabilities();
        return offered == null || offered.tools() == null
                ? CompletableFuture.completedFuture(McpToolList.NOT_OFFERED)
                : listToolsFrom(null, new McpToolListReader(InitializeResultReader.hasTaskCalls(offered)))
                        .toFuture();
    }

    private Mono<McpToolList> listToolsFrom(@Nullable String cursor, McpToolListReader reader) {
        return client.listTools(cursor).timeout(responseTimeout).flatMap(page -> {
            Optional<String> next = reader.addPage(RawResponses.result(page));
            return next.isPresent() ? listToolsFrom(next.get(), reader) : Mono.just(reader.toList());
        });
    }

    /** Sends a ping; the stage fails if the server does not answer in time. A refusal is an answer, too. */
    CompletionStage<Void> ping() {
        return client.ping()
                .timeout(responseTimeout)
                .doOnError(TimeoutException.class, late -> filteringTransport.removeOldestPing())
                .then()
                .onErrorResume(McpError.class, refused -> Mono.empty())
                .toFuture();
    }

    /** Whether calls are in progress. */
    boolean hasOpenCalls() {
        return !openCalls.isEmpty();
    }

    CompletionStage<ToolResult> call(BackendRequest call) {
        String token = call.id().toString();
        Map<String, Object> meta = FilteringTransport.meta(token, call.trace());
        if (sendCallId) {
            meta.put(IDEMPOTENCY_KEY, token);
        }
        McpSchema.CallToolRequest request =
                new McpSchema.CallToolRequest(call.tool(), McpJson.toMap(call.arguments()), meta);
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        PendingMcpCall one = new PendingMcpCall(call, result, new AtomicBoolean());
        openCalls.put(call.id(), one);
        progressByToken.put(token, "");
        result.whenComplete((done, failure) -> {
            openCalls.remove(call.id(), one);
            progressByToken.remove(token);
        });
        if (closed.get()) {
            result.complete(
                    McpFailureMapper.toToolResult(call, new McpFailure.RequestNotSent("the connection is closed")));
            return result;
        }
        Disposable sent = client.callTool(request)
                .subscribe(
                        answer -> {
                            recordAnswer();
                            result.complete(McpResultMapper.ofResult(call.tool(), RawResponses.result(answer)));
                        },
                        failure -> result.complete(toFailure(call, failure)));
        result.whenComplete((done, failure) -> sent.dispose());
        return result;
    }

    private void recordAnswer() {
        if (credentialsRefused.get() && credentialsRefused.compareAndSet(true, false)) {
            listener.onCredentialsAccepted(this);
        }
    }

    private ToolResult toFailure(BackendRequest call, Throwable failure) {
        if (failure instanceof McpError said) {
            recordAnswer();
            return McpResultMapper.ofError(call.tool(), said);
        }
        McpFailure known = McpFailure.of(failure);
        if (known instanceof McpFailure.RequestRefused refused && refused.isForCredentials()) {
            credentialsRefused.set(true);
            listener.onCredentialsRefused(this, refused.reason());
        }
        // The SDK may report a call that it sent as not sent while its session is closed.
        return closed.get() && !(known instanceof McpFailure.RequestRefused)
                ? McpFailureMapper.connectionClosed(call)
                : McpFailureMapper.toToolResult(call, known);
    }

    /** Cancels a call and notifies the server. */
    void cancel(CallId id) {
        PendingMcpCall one = openCalls.get(id);
        if (one != null && one.cancelled().compareAndSet(false, true)) {
            one.result().complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"));
            filteringTransport.cancelRequest(id.toString(), failure -> {});
        }
    }

    /** Last progress message of a call; empty if there is none. */
    Optional<String> lastProgress(CallId id) {
        return Optional.ofNullable(progressByToken.get(id.toString())).filter(said -> !said.isEmpty());
    }

    /** Closes the connection; open calls fail. */
    void close() {
        if (closed.compareAndSet(false, true)) {
            filteringTransport.closeGracefully().subscribe(done -> {}, failure -> {});
            List.copyOf(openCalls.values())
                    .forEach(one -> one.result().complete(McpFailureMapper.connectionClosed(one.call())));
            try {
                client.close();
            } catch (RuntimeException e) {
                // The SDK's client cannot be closed before it has a session.
                System.getLogger(McpConnection.class.getName()).log(System.Logger.Level.DEBUG, "closing", e);
            }
        }
    }
}
