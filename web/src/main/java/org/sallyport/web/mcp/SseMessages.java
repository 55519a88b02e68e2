package org.sallyport.web.mcp;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.sallyport.web.stream.StreamSource;

/** Messages to one client, in order, as server-sent events. Thread-safe. */
final class SseMessages implements StreamSource {
    private static final byte[] KEEP_ALIVE = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private final LongFunction<CompletionStage<Void>> timer;
    private final Deque<byte[]> events = new ArrayDeque<>();
    private long unreadBytes;
    private boolean ended;
    private @Nullable CompletableFuture<Void> waiter;

    /** @param pauses completes on a thread that may block, when so many milliseconds have passed */
    SseMessages(LongFunction<CompletionStage<Void>> pauses) {
        this.timer = pauses;
    }

    /** Adds an event; nothing once it has ended. */
    synchronized void offer(byte[] event) {
        if (!ended) {
            events.add(event);
            unreadBytes += event.length;
            wake();
        }
    }

    /** Nothing follows what is there. */
    synchronized void end() {
        ended = true;
        wake();
    }

    /** Bytes that the client has not taken yet. */
    synchronized long unreadBytes() {
        return unreadBytes;
    }

    private void wake() {
        CompletableFuture<Void> sleeper = waiter;
        if (sleeper != null) {
            waiter = null;
            // On a thread of its own: whoever adds something need not write it.
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
