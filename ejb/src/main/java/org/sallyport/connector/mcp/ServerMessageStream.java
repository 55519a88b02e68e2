package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The stream on which a server sends messages of its own, if it offers one. Opened again when it ends, later and later
 * while it brings no events. Serves one session. Thread-safe.
 */
final class ServerMessageStream {
    private static final long MIN_PAUSE_MILLIS = 1_000;
    private static final long MAX_PAUSE_MILLIS = 60_000;

    private final McpHttpClient client;
    private final McpHttpSession session;
    private final ScheduledExecutorService scheduler;
    private final McpEventListener events;
    private final ReconnectBackoff backoff;
    private @Nullable CompletableFuture<?> openRequest;
    private @Nullable ScheduledFuture<?> reopening;
    private boolean closed;

    ServerMessageStream(
            McpHttpClient client,
            McpHttpSession session,
            ScheduledExecutorService scheduler,
            RandomGenerator random,
            Consumer<JSONRPCMessage> messages) {
        this.client = client;
        this.session = session;
        this.scheduler = scheduler;
        this.events = new McpEventListener(client.maxMessageBytes(), messages);
        this.backoff = new ReconnectBackoff(MIN_PAUSE_MILLIS, MAX_PAUSE_MILLIS, random);
    }

    void open() {
        McpHttpResponse response = new McpHttpResponse(client.maxMessageBytes(), true, events);
        CompletableFuture<?> sent;
        synchronized (this) {
            if (closed) {
                return;
            }
            sent = client.openStream(session, events.lastEventId(), response);
            openRequest = sent;
        }
        sent.whenComplete((done, failure) -> onEnded(response));
    }

    private void onEnded(McpHttpResponse response) {
        int status = response.status();
        if (response.isEventStream() || status == 0 || status == 401 || status == 429 || status >= 500) {
            reopenLater();
        }
        // Otherwise the server offers no such stream. Status 404 may also mean that the session has ended. The next
        // request finds that out: a new session for each such answer would not end with servers that have no stream.
    }

    private synchronized void reopenLater() {
        if (closed) {
            return;
        }
        if (events.clearAdvanced()) {
            backoff.reset();
        }
        long pause = Math.min(MAX_PAUSE_MILLIS, Math.max(events.retryMillis(), backoff.nextDelayMillis()));
        reopening = scheduler.schedule(this::open, pause, TimeUnit.MILLISECONDS);
    }

    synchronized void close() {
        closed = true;
        if (openRequest != null) {
            openRequest.cancel(true);
        }
        if (reopening != null) {
            reopening.cancel(false);
        }
    }
}
