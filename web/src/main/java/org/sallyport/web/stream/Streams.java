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
import org.sallyport.access.Standing;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.Waiting;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Opens streams, and no more than this node can bear. Thread-safe. */
@ApplicationScoped
public class Streams {
    /** As many as one node may well have open; what one tenant may have is a setting. */
    static final int OF_NODE = 2_000;

    private static final String NODE = "";
    /** Between the first connection that an ending node cuts and the end of its application. */
    private static final long SURELY_GONE_MILLIS = 500;

    @Inject
    Waiting waiting;

    @Inject
    Configuration configuration;

    @Inject
    Standing standing;

    private final Quota quota = new Quota();
    private final Backlog backlog = new Backlog(Deliveries.mostHeldBytes());
    private volatile boolean ending;
    private Turns turns = new Turns(Runnable::run, 1);

    /** Whatever streams ask of the database, three quarters of its connections are for those who run scripts and wait for them. */
    @PostConstruct
    void begin() {
        int most = Math.max(1, configuration.integer(Settings.DB_POOL) / 4);
        turns = new Turns(waiting.threads(), most);
    }

    /** A right to one stream; must be given back in the end. */
    public static final class Ticket {
        private final AtomicReference<Runnable> release;
        private final Caller caller;

        private Ticket(Caller caller, Runnable release) {
            this.caller = caller;
            this.release = new AtomicReference<>(release);
        }

        /** Gives it back, once. */
        public void giveBack() {
            release.getAndSet(() -> {}).run();
        }
    }

    /** Takes one of the streams of the key and of its tenant; {@link ProblemException} when all are open. */
    public Ticket take(Caller caller) {
        int most = configuration.integer(LimitSettings.STREAMS);
        if (!quota.take(NODE, OF_NODE)) {
            throw tooMany("this node has " + OF_NODE + " streams open and opens no more");
        }
        String tenant = "tenant " + caller.tenant();
        if (!quota.take(tenant, most)) {
            quota.giveBack(NODE);
            throw tooMany(most + " streams are open, as many as one tenant may have (the server's "
                    + LimitSettings.STREAMS.name() + "); close one first");
        }
        int mostOfKey = configuration.integer(LimitSettings.STREAMS_OF_KEY);
        String key = "key " + caller.tenant() + " " + caller.keyId();
        if (!quota.take(key, mostOfKey)) {
            quota.giveBack(tenant);
            quota.giveBack(NODE);
            throw tooMany(mostOfKey + " streams are open, as many as one key may have (the server's "
                    + LimitSettings.STREAMS_OF_KEY.name() + "); close one first");
        }
        return new Ticket(caller, () -> {
            quota.giveBack(key);
            quota.giveBack(tenant);
            quota.giveBack(NODE);
        });
    }

    private static ProblemException tooMany(String detail) {
        return new ProblemException(Problem.of(ProblemType.RATE_LIMITED, detail));
    }

    /** Answers a request that waits with the feed; {@link ProblemException} when there is no stream left. */
    public void answer(HttpServletRequest request, Caller caller, AsyncResponse response, Feed feed) {
        if (request.getMethod().equals("HEAD")) {
            response.resume(Response.ok().type(feed.mediaType()).build());
        } else {
            open(Line.of(request.getAsyncContext()), take(caller), feed);
        }
    }

    /** Answers with the feed; the ticket is given back when it is over. */
    public void open(Line line, Ticket ticket, Feed feed) {
        open(line, ticket, feed, () -> {});
    }

    /**
     * The same.
     *
     * @param gone called, on a thread that may block, when it was the client who ended it before the feed did
     */
    public void open(Line line, Ticket ticket, Feed feed, Runnable gone) {
        AsyncContext context = line.context();
        try {
            HttpServletResponse response = (HttpServletResponse) context.getResponse();
            response.setStatus(HttpServletResponse.SC_OK);
            response.setContentType(feed.mediaType());
            // Proxies that collect an answer before they pass it on would make a stream of none.
            response.setHeader("X-Accel-Buffering", "no");
            ServletOutputStream out = response.getOutputStream();
            Outlet outlet = new Outlet(
                    feed,
                    context,
                    out,
                    waiting,
                    turns,
                    () -> standing.holds(ticket.caller),
                    backlog,
                    ticket::giveBack,
                    () -> unlessEnding(gone));
            line.carries(outlet);
            out.setWriteListener(outlet);
        } catch (IOException e) {
            ticket.giveBack();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            ticket.giveBack();
            throw e;
        }
    }

    /** A node that ends cuts its clients off, which looks as if they had gone. */
    private void unlessEnding(Runnable gone) {
        waiting.pause(SURELY_GONE_MILLIS).thenRun(() -> {
            if (!ending) {
                gone.run();
            }
        });
    }

    @PreDestroy
    void end() {
        ending = true;
    }

    /** How many are open on this node. */
    public int openCount() {
        return quota.taken(NODE);
    }
}
