package org.sallyport.web.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpStreamableServerTransport;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.web.ProblemException;
import org.sallyport.web.async.ClientConnection;
import org.sallyport.web.async.StreamRegistry;
import reactor.core.publisher.Mono;

/**
 * The response to one JSON-RPC request: a JSON object if it is available at once, otherwise an event stream that ends
 * with it. The stream's keep-alives reveal that the client has disconnected. No thread waits for a client that reads
 * slowly. Thread-safe.
 */
final class JsonRpcResponse implements McpStreamableServerTransport, AsyncListener {
    private final AsyncContext context;
    private final Caller caller;
    private final StreamRegistry streams;
    private final CompletionWaiter waiter;
    private final Consumer<Boolean> onFinished;
    private final AtomicBoolean finished = new AtomicBoolean();
    private @Nullable SseMessages messages;
    private boolean answered;
    /**
     * Volatile, so that it can be read without this object's lock: the thread that ends the response may hold another
     * lock.
     */
    private volatile boolean answerSent;

    private boolean settled;

    /**
     * @param whenOver called once, when the response is complete or the client has disconnected; the argument tells
     * whether an answer was sent by then
     */
    JsonRpcResponse(
            AsyncContext context,
            Caller caller,
            StreamRegistry streams,
            CompletionWaiter waiting,
            Consumer<Boolean> whenOver) {
        this.context = context;
        this.caller = caller;
        this.streams = streams;
        this.waiter = waiting;
        this.onFinished = whenOver;
    }

    /** To be called once, before anything is sent. */
    void start() {
        context.setTimeout(0);
        context.addListener(this);
    }

    /**
     * Opens a stream if there is no answer yet. Must be called before the request returns to the container, because the
     * container accepts no write listener for a stream that starts later.
     */
    synchronized void openStreamUnlessAnswered() {
        openStream();
        settled = true;
    }

    /** Returns whether a stream is open. No stream is opened when the caller has reached its stream limit. */
    private synchronized boolean openStream() {
        if (answered || finished.get()) {
            return false;
        } else if (messages == null && !settled) {
            try {
                StreamRegistry.StreamPermit ticket = streams.acquire(caller);
                SseMessages opened = new SseMessages(waiter::delay);
                streams.open(ClientConnection.of(context), ticket, opened);
                messages = opened;
            } catch (ProblemException e) {
                settled = true;
            }
        }
        return messages != null;
    }

    /** Number of bytes that the client has not taken yet. */
    long unreadBytes() {
        SseMessages opened = openedMessages();
        return opened == null ? 0 : opened.unreadBytes();
    }

    private synchronized @Nullable SseMessages openedMessages() {
        return messages;
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message, @Nullable String id) {
        return sendMessage(message);
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.defer(() -> {
            if (message instanceof JSONRPCResponse response) {
                respond(response);
            } else if (openStream()) {
                sendEvent(JsonRpcWriter.event(message));
            } else if (!(message instanceof JSONRPCNotification)) {
                return Mono.error(new IllegalStateException("the client has no open stream for a request"));
            }
            return Mono.empty();
        });
    }

    private void sendEvent(byte[] event) {
        SseMessages opened = openedMessages();
        if (opened != null) {
            opened.offer(event);
        }
    }

    private void respond(@Nullable JSONRPCResponse response) {
        if (finished.get()) {
            // Returns before taking the lock: the thread that ended the response may hold a lock that a thread opening
            // a stream, with this lock held, waits for.
            return;
        }
        SseMessages opened;
        synchronized (this) {
            if (answered) {
                return;
            }
            answered = true;
            answerSent = true;
            opened = messages;
        }
        if (opened == null) {
            write(response);
        } else {
            if (response != null) {
                opened.offer(JsonRpcWriter.event(response));
            }
            opened.end();
        }
    }

    private void write(@Nullable JSONRPCResponse response) {
        try {
            HttpServletResponse answer = (HttpServletResponse) context.getResponse();
            if (response == null) {
                answer.setStatus(HttpServletResponse.SC_ACCEPTED);
            } else {
                answer.setStatus(HttpServletResponse.SC_OK);
                answer.setContentType("application/json");
                JsonRpcWriter.write(response, answer.getOutputStream());
            }
            context.complete();
        } catch (IOException | IllegalStateException e) {
            System.getLogger(JsonRpcResponse.class.getName())
                    .log(System.Logger.Level.DEBUG, "the client has disconnected; the response is dropped", e);
            complete();
        }
    }

    private void complete() {
        try {
            context.complete();
        } catch (IllegalStateException e) {
            // The container has already ended the request.
        }
        finish();
    }

    /** Ends the response without an answer. */
    @Override
    public void close() {
        respond(null);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(this::close);
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return JsonRpcWriter.SDK_MAPPER.convertValue(data, type);
    }

    private void finish() {
        if (finished.compareAndSet(false, true)) {
            onFinished.accept(answerSent);
        }
    }

    @Override
    public void onComplete(AsyncEvent event) {
        finish();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        finish();
    }

    @Override
    public void onError(AsyncEvent event) {
        finish();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // A request starts asynchronous processing only once.
    }
}
