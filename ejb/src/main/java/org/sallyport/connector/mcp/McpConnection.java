package org.sallyport.connector.mcp;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpTransportException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.LiveBackend.Call;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** One connection to an MCP server, from its beginning to its end; there is no second life. Thread-safe. */
final class McpConnection {
    private static final String TOO_LONG = "exceeds the maximum allowed size";
    private static final int MOST_PAGES = 100;
    private static final int MOST_TOOLS = 2_000;
    private static final Duration LONGEST_CALL = Duration.ofHours(2);

    private final McpAsyncClient client;
    private final Gatekeeper gatekeeper;
    private final Duration patience;
    private final Map<CallId, Open> open = new ConcurrentHashMap<>();
    private final Map<String, String> progress = new ConcurrentHashMap<>();
    private final AtomicBoolean over = new AtomicBoolean();

    private record Open(Call call, CompletableFuture<ToolResult> result, AtomicBoolean withdrawn) {}

    /** Hears how the connection fares. */
    interface Watcher {
        /** The tools may be others now. */
        void toolsChanged();

        /** It is of no use any more. */
        void broken(McpConnection connection, String why);
    }

    /** @param patience how long to wait for what must be answered soon */
    McpConnection(McpClientTransport transport, Duration patience, Watcher watcher) {
        this.patience = patience;
        this.gatekeeper = new Gatekeeper(transport, new Gatekeeper.Ear() {
            @Override
            public void toolsChanged() {
                watcher.toolsChanged();
            }

            @Override
            public void progress(String token, String said) {
                progress.computeIfPresent(token, (known, before) -> said);
            }

            @Override
            public void floods(String how) {
                watcher.broken(McpConnection.this, how);
            }
        });
        this.client = McpClient.async(gatekeeper)
                .clientInfo(new McpSchema.Implementation("sallyport", "0.1.0"))
                .capabilities(McpSchema.ClientCapabilities.builder().build())
                .initializationTimeout(patience)
                .requestTimeout(LONGEST_CALL)
                .jsonSchemaValidator(McpJson.NO_VALIDATION)
                .enableCallToolSchemaCaching(false)
                .build();
    }

    /** Shakes hands; the stage fails when the server does not in time. */
    CompletionStage<Void> begin() {
        return client.initialize().timeout(patience).then().toFuture();
    }

    /** The server's tools, all pages. */
    CompletionStage<List<ToolDefinition>> tools() {
        var offered = client.getServerCapabilities();
        if (offered == null || offered.tools() == null) {
            return CompletableFuture.completedFuture(List.of());
        }
        return page(null, new ArrayList<>(), 1).map(McpTools::of).toFuture();
    }

    private Mono<List<McpSchema.Tool>> page(@Nullable String cursor, List<McpSchema.Tool> before, int number) {
        return client.listTools(cursor).timeout(patience).flatMap(page -> {
            before.addAll(page.tools());
            if (before.size() > MOST_TOOLS || number > MOST_PAGES) {
                return Mono.error(new IllegalStateException("the server has more than " + MOST_TOOLS + " tools"));
            }
            return page.nextCursor() == null || page.nextCursor().isEmpty()
                    ? Mono.just(before)
                    : page(page.nextCursor(), before, number + 1);
        });
    }

    /** Whether the server still answers. */
    CompletionStage<Void> ping() {
        return client.ping().timeout(patience).then().toFuture();
    }

    /** Whether calls are under way. */
    boolean busy() {
        return !open.isEmpty();
    }

    CompletionStage<ToolResult> call(Call call) {
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        String token = call.id().toString();
        Open one = new Open(call, result, new AtomicBoolean());
        open.put(call.id(), one);
        progress.put(token, "");
        result.whenComplete((done, failure) -> {
            open.remove(call.id(), one);
            progress.remove(token);
        });
        if (over.get()) {
            result.complete(lost(call));
            return result;
        }
        Disposable sent = client.callTool(new McpSchema.CallToolRequest(
                        call.tool(), McpJson.object(call.arguments()), Gatekeeper.meta(token, call.trace())))
                .subscribe(
                        answer -> result.complete(McpAnswers.of(call.tool(), answer)),
                        failure -> result.complete(failed(call, failure)));
        result.whenComplete((done, failure) -> sent.dispose());
        return result;
    }

    private ToolResult failed(Call call, Throwable failure) {
        if (failure instanceof McpError said) {
            return McpAnswers.of(call.tool(), said);
        }
        @Nullable String tooLong = tooLong(failure);
        if (tooLong != null) {
            return ToolResult.failure(
                    ToolErrorCode.TOO_LARGE, "the answer to '" + call.tool() + "' is not read to its end: " + tooLong);
        }
        // Only what is known not to have left can be called again without a doubt.
        return over.get() || !call.repeatable() && !neverLeft(failure)
                ? lost(call)
                : ToolResult.failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE,
                        "'" + call.tool() + "' could not be sent: " + Reasons.of(failure));
    }

    /** The SDK has no type for that failure. */
    private static @Nullable String tooLong(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof McpTransportException && Reasons.of(cause).contains(TOO_LONG)) {
                return Reasons.of(cause);
            }
        }
        return null;
    }

    private static boolean neverLeft(Throwable failure) {
        return nobodyIsThere(failure) || among(failure, IllegalStateException.class);
    }

    /** Whether that is what is heard where nobody listens any more; who is merely slow fails otherwise. */
    static boolean nobodyIsThere(Throwable failure) {
        return among(failure, ConnectException.class);
    }

    private static boolean among(Throwable failure, Class<? extends Throwable> type) {
        boolean found = false;
        for (Throwable cause = failure; cause != null && !found; cause = cause.getCause()) {
            found = type.isInstance(cause);
        }
        return found;
    }

    private static ToolResult lost(Call call) {
        return call.repeatable()
                ? ToolResult.failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE,
                        "the connection to the server was lost while '" + call.tool() + "' was called")
                : ToolResult.failure(
                        ToolErrorCode.OUTCOME_UNKNOWN,
                        "the connection to the server was lost while '" + call.tool()
                                + "' was called; it may have had its effect");
    }

    /** Nobody waits for the call: the server is told. */
    void cancel(CallId id) {
        Open one = open.get(id);
        if (one != null && one.withdrawn().compareAndSet(false, true)) {
            gatekeeper.withdraw(id.toString(), failure -> {});
            one.result().complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"));
        }
    }

    /** What the server said last of how far a call is. */
    Optional<String> progress(CallId id) {
        return Optional.ofNullable(progress.get(id.toString())).filter(said -> !said.isEmpty());
    }

    /** Ends it; open calls fail. */
    void end() {
        if (over.compareAndSet(false, true)) {
            gatekeeper.closeGracefully().subscribe(done -> {}, failure -> {});
            List.copyOf(open.values()).forEach(one -> one.result().complete(lost(one.call())));
            try {
                client.close();
            } catch (RuntimeException e) {
                // The SDK's client cannot be closed before it has a session.
                System.getLogger(McpConnection.class.getName()).log(System.Logger.Level.DEBUG, "closing", e);
            }
        }
    }
}
