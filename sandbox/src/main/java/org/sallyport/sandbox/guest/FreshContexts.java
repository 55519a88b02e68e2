package org.sallyport.sandbox.guest;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Contexts made ahead, each for one session: making one takes several times as long as running a short script, and before a
 * script is there nobody waits for it. Thread-safe.
 */
final class FreshContexts implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FreshContexts.class.getName());

    private final GuestEngine engine;
    private final int most;
    private final ConcurrentLinkedQueue<FreshContext> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean closed;

    FreshContexts(GuestEngine engine, int most) {
        this.engine = engine;
        this.most = most;
    }

    /** A context that nobody else gets. */
    FreshContext take() {
        @Nullable FreshContext made = ready.poll();
        if (made == null) {
            return FreshContext.of(engine);
        }
        count.decrementAndGet();
        return made;
    }

    /** Makes one more, unless there are enough. */
    void stock() {
        if (closed || count.get() >= most) {
            return;
        }
        try {
            ready.add(FreshContext.of(engine));
            count.incrementAndGet();
        } catch (RuntimeException failure) {
            // The session that needs one will meet the same failure and tell of it.
            LOG.log(System.Logger.Level.DEBUG, "no context could be made ahead", failure);
        }
        if (closed) {
            close();
        }
    }

    @Override
    public void close() {
        closed = true;
        for (FreshContext made = ready.poll(); made != null; made = ready.poll()) {
            made.context().close(true);
        }
    }
}
