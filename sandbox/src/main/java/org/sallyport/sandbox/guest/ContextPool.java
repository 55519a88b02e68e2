package org.sallyport.sandbox.guest;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Prepares contexts in advance, each for one session. Creating a context takes several times as long as running a short
 * script, so idle threads create contexts before a script needs them. Thread-safe.
 */
final class ContextPool implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ContextPool.class.getName());

    private final GuestEngine engine;
    private final int maxContexts;
    private final ConcurrentLinkedQueue<PrewarmedContext> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger readyCount = new AtomicInteger();
    private volatile boolean closed;

    ContextPool(GuestEngine engine, int maxContexts) {
        this.engine = engine;
        this.maxContexts = maxContexts;
    }

    /** Returns a context that is not shared with any other session. */
    PrewarmedContext acquire() {
        @Nullable PrewarmedContext prewarmed = ready.poll();
        if (prewarmed == null) {
            return PrewarmedContext.of(engine);
        }
        readyCount.decrementAndGet();
        return prewarmed;
    }

    /** Creates one more context, unless the pool is full. */
    void prewarm() {
        if (closed || readyCount.get() >= maxContexts) {
            return;
        }
        try {
            ready.add(PrewarmedContext.of(engine));
            readyCount.incrementAndGet();
        } catch (RuntimeException failure) {
            // The session that needs a context meets the same failure and reports it.
            LOG.log(System.Logger.Level.DEBUG, "a script context could not be prepared in advance", failure);
        }
        if (closed) {
            close();
        }
    }

    @Override
    public void close() {
        closed = true;
        for (PrewarmedContext prewarmed = ready.poll(); prewarmed != null; prewarmed = ready.poll()) {
            prewarmed.context().close(true);
        }
    }
}
