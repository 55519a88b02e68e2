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
import org.sallyport.access.Caller;
import org.sallyport.execution.Waiting;
import org.sallyport.web.ProblemException;
import org.sallyport.web.stream.Line;
import org.sallyport.web.stream.Streams;
import reactor.core.publisher.Mono;

/**
 * The answer to one request: a JSON object if it is there at once, else a stream of events that ends with it and whose signs of
 * life show when the client has gone. No thread waits for a client that reads slowly. Thread-safe.
 */
final class Reply implements McpStreamableServerTransport, AsyncListener {
    private final AsyncContext context;
    private final Caller caller;
    private final Streams streams;
    private final Waiting waiting;
    private final Consumer<Boolean> whenOver;
    private final AtomicBoolean over = new AtomicBoolean();
    private @Nullable MessageFeed feed;
    private boolean answered;
    /** Not for its lock: what ends it may hold another. */
    private volatile boolean told;

    private boolean settled;

    /** @param whenOver called once, when it is complete or nobody is there any more: whether there was an answer by then */
    Reply(AsyncContext context, Caller caller, Streams streams, Waiting waiting, Consumer<Boolean> whenOver) {
        this.context = context;
        this.caller = caller;
        this.streams = streams;
        this.waiting = waiting;
        this.whenOver = whenOver;
    }

    /** To be called once, before anything is sent. */
    void begin() {
        context.setTimeout(0);
        context.addListener(this);
    }

    /**
     * To be called before the request goes back to the container, which lets nothing listen to a stream that begins later: what
     * has no answer now gets a stream.
     */
    synchronized void settle() {
        open();
        settled = true;
    }

    /** Whether there is a stream now; there is none when the caller has as many as he may. */
    private synchronized boolean open() {
        if (answered || over.get()) {
            return false;
        } else if (feed == null && !settled) {
            try {
                Streams.Ticket ticket = streams.take(caller);
                MessageFeed opened = new MessageFeed(waiting::pause);
                streams.open(Line.of(context), ticket, opened);
                feed = opened;
            } catch (ProblemException e) {
                settled = true;
            }
        }
        return feed != null;
    }

    /** Bytes that the client has not taken yet. */
    long backlog() {
        MessageFeed opened = opened();
        return opened == null ? 0 : opened.backlog();
    }

    private synchronized @Nullable MessageFeed opened() {
        return feed;
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message, @Nullable String id) {
        return sendMessage(message);
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.defer(() -> {
            if (message instanceof JSONRPCResponse response) {
                end(response);
            } else if (open()) {
                say(Wire.event(message));
            } else if (!(message instanceof JSONRPCNotification)) {
                return Mono.error(new IllegalStateException("nobody can be asked"));
            }
            return Mono.empty();
        });
    }

    private void say(byte[] event) {
        MessageFeed opened = opened();
        if (opened != null) {
            opened.offer(event);
        }
    }

    private void end(@Nullable JSONRPCResponse response) {
        if (over.get()) {
            // Not even for the lock: what ended it may hold one that whoever opens a stream waits for.
            return;
        }
        MessageFeed opened;
        synchronized (this) {
            if (answered) {
                return;
            }
            answered = true;
            told = true;
            opened = feed;
        }
        if (opened == null) {
            write(response);
        } else {
            if (response != null) {
                opened.offer(Wire.event(response));
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
                byte[] json = Wire.json(response);
                answer.setStatus(HttpServletResponse.SC_OK);
                answer.setContentType("application/json");
                answer.setContentLength(json.length);
                answer.getOutputStream().write(json);
            }
            context.complete();
        } catch (IOException | IllegalStateException e) {
            System.getLogger(Reply.class.getName()).log(System.Logger.Level.DEBUG, "nobody hears the answer", e);
            complete();
        }
    }

    private void complete() {
        try {
            context.complete();
        } catch (IllegalStateException e) {
            // The container has ended it.
        }
        over();
    }

    /** There is nothing more to say, and no answer. */
    @Override
    public void close() {
        end(null);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(this::close);
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return Wire.SDK.convertValue(data, type);
    }

    private void over() {
        if (over.compareAndSet(false, true)) {
            whenOver.accept(told);
        }
    }

    @Override
    public void onComplete(AsyncEvent event) {
        over();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        over();
    }

    @Override
    public void onError(AsyncEvent event) {
        over();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // There is only one.
    }
}
