package org.sallyport.connector.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sallyport.connector.TokenBucket;
import org.sallyport.tool.PlainText;
import org.sallyport.tracecontext.TraceHeaders;
import reactor.core.publisher.Mono;

/**
 * Filters messages between the SDK's client and a transport. Passes responses to open requests and selected
 * notifications; drops unsolicited and duplicate responses. Maps calls to their request ids so that calls can be
 * cancelled, because the SDK itself sends no cancellation. Thread-safe.
 */
final class FilteringTransport implements McpClientTransport {
    static final String TOOLS_CHANGED = "notifications/tools/list_changed";
    static final String PROGRESS = "notifications/progress";
    static final String CANCELLED = "notifications/cancelled";
    private static final String PROGRESS_TOKEN = "progressToken";
    private static final int UNSOLICITED_BURST = 2_000;
    private static final int UNSOLICITED_PER_SECOND = 200;
    private static final int MAX_SHOWN_ID_LENGTH = 100;

    private final McpClientTransport delegate;
    private final ServerMessageListener listener;
    private final TokenBucket unsolicitedLimiter;
    private final Set<Object> openRequestIds = ConcurrentHashMap.newKeySet();
    private final Map<String, Object> requestIdsByToken = new ConcurrentHashMap<>();
    private final CompletableFuture<String> unknownId = new CompletableFuture<>();
    /** Passes messages to the SDK's session; null before the connection is opened. */
    private volatile @Nullable Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> sessionHandler;

    /** Receives events that the SDK does not report. */
    interface ServerMessageListener {
        /** The server's tools may have changed. */
        void onToolsChanged();

        /** The server reported the progress of a call. */
        void onProgress(String token, String said);

        /** The server sent too many unsolicited messages and must be disconnected. */
        void onFlood(String how);
    }

    FilteringTransport(McpClientTransport inner, ServerMessageListener ear) {
        this.delegate = inner;
        this.listener = ear;
        this.unsolicitedLimiter = new TokenBucket(UNSOLICITED_BURST, UNSOLICITED_PER_SECOND, System::nanoTime);
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        sessionHandler = handler;
        return delegate.connect(
                message -> message.flatMap(one -> isAdmitted(one) ? handler.apply(Mono.just(one)) : Mono.empty()));
    }

    private boolean isAdmitted(JSONRPCMessage message) {
        if (message instanceof JSONRPCResponse response) {
            if (removeRequest(response.id())) {
                return true;
            }
            unknownId.complete(PlainText.singleLine(String.valueOf(response.id()), MAX_SHOWN_ID_LENGTH));
        }
        if (!unsolicitedLimiter.tryAcquire()) {
            listener.onFlood("sends too many messages that were not requested");
            return false;
        }
        if (message instanceof JSONRPCNotification notification) {
            if (TOOLS_CHANGED.equals(notification.method())) {
                listener.onToolsChanged();
            } else if (PROGRESS.equals(notification.method()) && notification.params() instanceof Map<?, ?> said) {
                listener.onProgress(String.valueOf(said.get(PROGRESS_TOKEN)), progressText(said));
            }
            return false;
        }
        // Requests are passed to the SDK, which answers pings and rejects features that this client does not offer.
        return message instanceof JSONRPCRequest;
    }

    private static String progressText(Map<?, ?> said) {
        Object total = said.get("total");
        Object message = said.get("message");
        return said.get("progress") + (total == null ? "" : " of " + total) + (message == null ? "" : ", " + message);
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        if (!(message instanceof JSONRPCRequest request)) {
            return delegate.sendMessage(message);
        }
        openRequestIds.add(request.id());
        if (request.params() instanceof McpSchema.CallToolRequest call && call.meta() != null) {
            @Nullable Object token = call.meta().get(PROGRESS_TOKEN);
            if (token != null) {
                requestIdsByToken.put(token.toString(), request.id());
            }
        }
        return delegate.sendMessage(message).doOnError(failure -> removeRequest(request.id()));
    }

    /** Removes a request that is answered or failed; false if it is not open. */
    private boolean removeRequest(Object id) {
        boolean open = openRequestIds.remove(id);
        if (open) {
            requestIdsByToken.values().remove(id);
        }
        return open;
    }

    /**
     * Builds the {@code _meta} of a call: a progress token, under which the call can be cancelled, and its trace if it
     * has one.
     */
    static Map<String, Object> meta(String token, Optional<TraceHeaders> trace) {
        Map<String, Object> meta = new HashMap<>(Map.of(PROGRESS_TOKEN, token));
        trace.ifPresent(headers -> headers.forEach(meta::put));
        return meta;
    }

    /** The id of the first response to no open request; empty if there was none. */
    Optional<String> unknownId() {
        return unknownId.isDone() ? Optional.of(unknownId.join()) : Optional.empty();
    }

    /** Completes with the first response to no open request. */
    Mono<Void> awaitUnknownId() {
        return Mono.fromFuture(unknownId, true).then();
    }

    /**
     * Cancels a call at the server. The result of the call must be known before, and its caller must not wait for the
     * SDK. A later response is dropped as unsolicited.
     */
    void cancelRequest(String token, Consumer<Throwable> failed) {
        Object request = requestIdsByToken.remove(token);
        if (request != null && openRequestIds.remove(request)) {
            delegate.sendMessage(new JSONRPCNotification(
                            CANCELLED, Map.of("requestId", request, "reason", "the client no longer waits for it")))
                    .subscribe(nothing -> {}, failed);
            removeFromSession(request, failed);
        }
    }

    /** Answers a request in place of the server: the SDK's session keeps each request until it has an answer. */
    private void removeFromSession(Object request, Consumer<Throwable> failed) {
        Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler = sessionHandler;
        if (handler != null) {
            handler.apply(Mono.just(JSONRPCResponse.result(request, Map.of()))).subscribe(nothing -> {}, failed);
        }
    }

    @Override
    public Mono<Void> closeGracefully() {
        return delegate.closeGracefully();
    }

    @Override
    public void setExceptionHandler(Consumer<Throwable> handler) {
        delegate.setExceptionHandler(handler);
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return RawResponses.carry(data, type).orElseGet(() -> delegate.unmarshalFrom(data, type));
    }

    @Override
    public List<String> protocolVersions() {
        return delegate.protocolVersions();
    }
}
