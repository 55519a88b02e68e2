package org.sallyport.web.mcp;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.sallyport.web.stream.Feed;

/** Messages to one client, in order, as server-sent events. Thread-safe. */
final class MessageFeed implements Feed {
    private static final byte[] NOTHING = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private final LongFunction<CompletionStage<Void>> pauses;
    private final Deque<byte[]> events = new ArrayDeque<>();
    private long backlog;
    private boolean ended;
    private @Nullable CompletableFuture<Void> sleeping;

    /** @param pauses completes on a thread that may block, when so many milliseconds have passed */
    MessageFeed(LongFunction<CompletionStage<Void>> pauses) {
        this.pauses = pauses;
    }

    /** Adds an event; nothing once it has ended. */
    synchronized void offer(byte[] event) {
        if (!ended) {
            events.add(event);
            backlog += event.length;
            wake();
        }
    }

    /** Nothing follows what is there. */
    synchronized void end() {
        ended = true;
        wake();
    }

    /** Bytes that the client has not taken yet. */
    synchronized long backlog() {
        return backlog;
    }

    private void wake() {
        CompletableFuture<Void> sleeper = sleeping;
        if (sleeper != null) {
            sleeping = null;
            // On a thread of its own: whoever adds something need not write it.
            pauses.apply(0).thenRun(() -> sleeper.complete(null));
        }
    }

    @Override
    public String mediaType() {
        return "text/event-stream;charset=utf-8";
    }

    @Override
    public synchronized Piece next() {
        byte[] event = events.poll();
        if (event == null) {
            return ended ? Piece.END : Piece.NOTHING;
        }
        backlog -= event.length;
        return new Piece(event, ended && events.isEmpty());
    }

    @Override
    public synchronized CompletionStage<Void> pause(long millis) {
        if (ended || !events.isEmpty()) {
            return pauses.apply(0);
        }
        CompletableFuture<Void> sleeper = new CompletableFuture<>();
        sleeping = sleeper;
        pauses.apply(millis).thenRun(() -> sleeper.complete(null));
        return sleeper;
    }

    @Override
    public byte[] keepAlive() {
        return NOTHING.clone();
    }
}
