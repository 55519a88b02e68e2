package org.sallyport.sandbox.guest;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Contexts made ahead, each for one session: making one takes several times as long as running a short script, and before a
 * script is there nobody waits for it. Thread-safe.
 */
final class ContextPool implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ContextPool.class.getName());

    private final GuestEngine engine;
    private final int maxContexts;
    private final ConcurrentLinkedQueue<PrewarmedContext> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger readyCount = new AtomicInteger();
    private volatile boolean closed;

    ContextPool(GuestEngine engine, int most) {
        this.engine = engine;
        this.maxContexts = most;
    }

    /** A context that nobody else gets. */
    PrewarmedContext acquire() {
        @Nullable PrewarmedContext made = ready.poll();
        if (made == null) {
            return PrewarmedContext.of(engine);
        }
        readyCount.decrementAndGet();
        return made;
    }

    /** Makes one more, unless there are enough. */
    void prewarm() {
        if (closed || readyCount.get() >= maxContexts) {
            return;
        }
        try {
            ready.add(PrewarmedContext.of(engine));
            readyCount.incrementAndGet();
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
        for (PrewarmedContext made = ready.poll(); made != null; made = ready.poll()) {
            made.context().close(true);
        }
    }
}
