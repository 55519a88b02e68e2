package org.sallyport.web.mcp;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.sallyport.web.async.StreamSource;

/** A queue of messages to one client, sent in order as server-sent events. Thread-safe. */
final class SseMessages implements StreamSource {
    private static final byte[] KEEP_ALIVE = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private final LongFunction<CompletionStage<Void>> timer;
    private final Deque<byte[]> events = new ArrayDeque<>();
    private long unreadBytes;
    private boolean ended;
    private @Nullable CompletableFuture<Void> waiter;

    /** @param pauses returns a stage that completes after the given milliseconds, on a thread that may block */
    SseMessages(LongFunction<CompletionStage<Void>> pauses) {
        this.timer = pauses;
    }

    /** Appends an event; has no effect after the end. */
    synchronized void offer(byte[] event) {
        if (!ended) {
            events.add(event);
            unreadBytes += event.length;
            wake();
        }
    }

    /** Ends the stream after the queued events. */
    synchronized void end() {
        ended = true;
        wake();
    }

    /** Number of bytes that the client has not taken yet. */
    synchronized long unreadBytes() {
        return unreadBytes;
    }

    private void wake() {
        CompletableFuture<Void> sleeper = waiter;
        if (sleeper != null) {
            waiter = null;
            // Wakes the writer on another thread, so that the caller of this method need not write the event.
            timer.apply(0).thenRun(() -> sleeper.complete(null));
        }
    }

    @Override
    public String mediaType() {
        return "text/event-stream;charset=utf-8";
    }

    @Override
    public synchronized StreamChunk next() {
        byte[] event = events.poll();
        if (event == null) {
            return ended ? StreamChunk.END : StreamChunk.NOTHING_YET;
        }
        unreadBytes -= event.length;
        return new StreamChunk(event, ended && events.isEmpty());
    }

    @Override
    public synchronized CompletionStage<Void> awaitNext(long millis) {
        if (ended || !events.isEmpty()) {
            return timer.apply(0);
        }
        CompletableFuture<Void> sleeper = new CompletableFuture<>();
        waiter = sleeper;
        timer.apply(millis).thenRun(() -> sleeper.complete(null));
        return sleeper;
    }

    @Override
    public byte[] keepAlive() {
        return KEEP_ALIVE.clone();
    }
}
