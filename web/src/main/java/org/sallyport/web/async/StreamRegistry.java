package org.sallyport.web.async;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicReference;
import org.sallyport.auth.Caller;
import org.sallyport.auth.CallerRevalidator;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Opens streams within the limits of node, tenant and key. Thread-safe. */
@ApplicationScoped
public class StreamRegistry {
    /** Maximum number of open streams on one node; the maximum per tenant and per key are settings. */
    static final int MAX_PER_NODE = 2_000;

    private static final String NODE_KEY = "";
    private static final long MIN_UNREAD_BYTES = 32L << 20;
    private static final int HEAP_FRACTION = 8;
    /** Longest time between the first connection that a stopping node closes and the end of its application. */
    private static final long DISCONNECT_GRACE_MILLIS = 500;

    @Inject
    CompletionWaiter waiter;

    @Inject
    Configuration configuration;

    @Inject
    CallerRevalidator revalidator;

    private final KeyedCounter counter = new KeyedCounter();
    private final UnreadBytes unreadBytes = new UnreadBytes(maxUnreadBytes());
    private volatile boolean shuttingDown;
    private BoundedExecutor executor = new BoundedExecutor(Runnable::run, 1);

    /** Maximum bytes that wait for clients of streams that do not read: a fraction of the heap, at least 32 MiB. */
    private static long maxUnreadBytes() {
        return Math.max(MIN_UNREAD_BYTES, Runtime.getRuntime().maxMemory() / HEAP_FRACTION);
    }

    /**
     * Limits the database connections of streams to a quarter of the pool. Three quarters remain for clients that run
     * scripts and wait for them.
     */
    @PostConstruct
    void start() {
        int maxConcurrent = Math.max(1, configuration.getInt(Settings.DB_POOL_SIZE) / 4);
        executor = new BoundedExecutor(waiter.executor(), maxConcurrent);
    }

    /** Permission to open one stream; the holder must release it. */
    public static final class StreamPermit {
        private final AtomicReference<Runnable> release;
        private final Caller caller;

        private StreamPermit(Caller caller, Runnable release) {
            this.caller = caller;
            this.release = new AtomicReference<>(release);
        }

        /** Releases the permit. Further calls have no effect. */
        public void release() {
            release.getAndSet(() -> {}).run();
        }
    }

    /**
     * Acquires one stream of the key and of its tenant.
     *
     * @throws ProblemException if the limit of the node, the tenant or the key is reached
     */
    public StreamPermit acquire(Caller caller) {
        int maxStreams = configuration.getInt(LimitSettings.MAX_STREAMS);
        if (!counter.tryAcquire(NODE_KEY, MAX_PER_NODE)) {
            throw tooMany("this node has " + MAX_PER_NODE + " open streams, which is its limit; try again shortly");
        }
        String tenant = "tenant " + caller.tenant();
        if (!counter.tryAcquire(tenant, maxStreams)) {
            counter.release(NODE_KEY);
            throw tooMany(maxStreams + " streams are open, as many as one tenant may have (the server's "
                    + LimitSettings.MAX_STREAMS.name() + "); close one first");
        }
        int mostOfKey = configuration.getInt(LimitSettings.MAX_STREAMS_PER_KEY);
        String key = "key " + caller.tenant() + " " + caller.id();
        if (!counter.tryAcquire(key, mostOfKey)) {
            counter.release(tenant);
            counter.release(NODE_KEY);
            throw tooMany(mostOfKey + " streams are open, as many as one key may have (the server's "
                    + LimitSettings.MAX_STREAMS_PER_KEY.name() + "); close one first");
        }
        return new StreamPermit(caller, () -> {
            counter.release(key);
            counter.release(tenant);
            counter.release(NODE_KEY);
        });
    }

    private static ProblemException tooMany(String detail) {
        return new ProblemException(Problem.of(ProblemType.RATE_LIMITED, detail));
    }

    /**
     * Same as {@link #respond(HttpServletRequest, Caller, AsyncResponse, StreamSource, Runnable)}, without a callback.
     *
     * @throws ProblemException if a stream limit is reached
     */
    public void respond(HttpServletRequest request, Caller caller, AsyncResponse response, StreamSource feed) {
        respond(request, caller, response, feed, () -> {});
    }

    /**
     * Answers a suspended request with the stream; for {@code HEAD}, with the headers only.
     *
     * @param onDisconnect called, on a thread that may block, if the client disconnected before the stream ended
     * @throws ProblemException if a stream limit is reached
     */
    public void respond(
            HttpServletRequest request,
            Caller caller,
            AsyncResponse response,
            StreamSource feed,
            Runnable onDisconnect) {
        if (request.getMethod().equals("HEAD")) {
            Response.ResponseBuilder headers = Response.ok().type(feed.mediaType());
            feed.headers().forEach(headers::header);
            feed.contentLength().ifPresent(length -> headers.header("Content-Length", length));
            response.resume(headers.build());
        } else {
            open(ClientConnection.of(request.getAsyncContext()), acquire(caller), feed, onDisconnect);
        }
    }

    /** Answers with the stream. The permit is released when the stream ends, or if it cannot be opened. */
    public void open(ClientConnection line, StreamPermit ticket, StreamSource feed) {
        open(line, ticket, feed, () -> {});
    }

    /**
     * Same as {@link #open(ClientConnection, StreamPermit, StreamSource)}, with a callback.
     *
     * @param onDisconnect called, on a thread that may block, if the client disconnected before the stream ended
     */
    public void open(ClientConnection line, StreamPermit ticket, StreamSource feed, Runnable onDisconnect) {
        AsyncContext context = line.context();
        try {
            HttpServletResponse response = (HttpServletResponse) context.getResponse();
            response.setStatus(HttpServletResponse.SC_OK);
            response.setContentType(feed.mediaType());
            feed.headers().forEach(response::addHeader);
            feed.contentLength().ifPresent(response::setContentLengthLong);
            // A proxy that buffers a whole response before it forwards it would break the stream.
            response.setHeader("X-Accel-Buffering", "no");
            ServletOutputStream out = response.getOutputStream();
            StreamWriter outlet = new StreamWriter(
                    feed,
                    context,
                    out,
                    waiter,
                    executor,
                    () -> revalidator.isStillValid(ticket.caller),
                    unreadBytes,
                    ticket::release,
                    () -> runUnlessShuttingDown(onDisconnect));
            line.attach(outlet);
            out.setWriteListener(outlet);
        } catch (IOException e) {
            ticket.release();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            ticket.release();
            throw e;
        }
    }

    /**
     * Runs the callback unless this node is stopping. A stopping node closes its connections, which looks like a
     * disconnect of the client.
     */
    private void runUnlessShuttingDown(Runnable onDisconnect) {
        waiter.delay(DISCONNECT_GRACE_MILLIS).thenRun(() -> {
            if (!shuttingDown) {
                onDisconnect.run();
            }
        });
    }

    @PreDestroy
    void shutDown() {
        shuttingDown = true;
    }

    /** Number of open streams on this node. */
    public int openCount() {
        return counter.count(NODE_KEY);
    }
}
