package org.sallyport.web.stream;

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
import org.sallyport.access.Caller;
import org.sallyport.access.CallerRevalidator;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Opens streams, and no more than this node can bear. Thread-safe. */
@ApplicationScoped
public class StreamRegistry {
    /** As many as one node may well have open; what one tenant may have is a setting. */
    static final int MAX_PER_NODE = 2_000;

    private static final String NODE_KEY = "";
    /** Between the first connection that an ending node cuts and the end of its application. */
    private static final long DISCONNECT_GRACE_MILLIS = 500;

    @Inject
    CompletionWaiter waiter;

    @Inject
    Configuration configuration;

    @Inject
    CallerRevalidator revalidator;

    private final KeyedCounter counter = new KeyedCounter();
    private final UnreadBytes unreadBytes = new UnreadBytes(AsyncResponses.maxBufferedBytes());
    private volatile boolean shuttingDown;
    private BoundedExecutor executor = new BoundedExecutor(Runnable::run, 1);

    /** Whatever streams ask of the database, three quarters of its connections are for those who run scripts and wait for them. */
    @PostConstruct
    void start() {
        int most = Math.max(1, configuration.getInt(Settings.DB_POOL_SIZE) / 4);
        executor = new BoundedExecutor(waiter.executor(), most);
    }

    /** A right to one stream; must be given back in the end. */
    public static final class StreamPermit {
        private final AtomicReference<Runnable> release;
        private final Caller caller;

        private StreamPermit(Caller caller, Runnable release) {
            this.caller = caller;
            this.release = new AtomicReference<>(release);
        }

        /** Gives it back, once. */
        public void release() {
            release.getAndSet(() -> {}).run();
        }
    }

    /** Takes one of the streams of the key and of its tenant; {@link ApiProblemException} when all are open. */
    public StreamPermit acquire(Caller caller) {
        int most = configuration.getInt(LimitSettings.MAX_STREAMS);
        if (!counter.tryAcquire(NODE_KEY, MAX_PER_NODE)) {
            throw tooMany("this node has " + MAX_PER_NODE + " streams open and opens no more");
        }
        String tenant = "tenant " + caller.tenant();
        if (!counter.tryAcquire(tenant, most)) {
            counter.release(NODE_KEY);
            throw tooMany(most + " streams are open, as many as one tenant may have (the server's "
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

    /** Answers a request that waits with the feed; {@link ApiProblemException} when there is no stream left. */
    public void respond(HttpServletRequest request, Caller caller, AsyncResponse response, StreamSource feed) {
        if (request.getMethod().equals("HEAD")) {
            response.resume(Response.ok().type(feed.mediaType()).build());
        } else {
            open(ClientConnection.of(request.getAsyncContext()), acquire(caller), feed);
        }
    }

    /** Answers with the feed; the ticket is given back when it is over. */
    public void open(ClientConnection line, StreamPermit ticket, StreamSource feed) {
        open(line, ticket, feed, () -> {});
    }

    /**
     * The same.
     *
     * @param gone called, on a thread that may block, when it was the client who ended it before the feed did
     */
    public void open(ClientConnection line, StreamPermit ticket, StreamSource feed, Runnable gone) {
        AsyncContext context = line.context();
        try {
            HttpServletResponse response = (HttpServletResponse) context.getResponse();
            response.setStatus(HttpServletResponse.SC_OK);
            response.setContentType(feed.mediaType());
            // Proxies that collect an answer before they pass it on would make a stream of none.
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
                    () -> runUnlessShuttingDown(gone));
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

    /** A node that ends cuts its clients off, which looks as if they had gone. */
    private void runUnlessShuttingDown(Runnable gone) {
        waiter.delay(DISCONNECT_GRACE_MILLIS).thenRun(() -> {
            if (!shuttingDown) {
                gone.run();
            }
        });
    }

    @PreDestroy
    void shutDown() {
        shuttingDown = true;
    }

    /** How many are open on this node. */
    public int openCount() {
        return counter.count(NODE_KEY);
    }
}
