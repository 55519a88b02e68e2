package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.sallyport.web.async.StreamSource.StreamChunk;

class SseMessagesTest {
    private final List<CompletableFuture<Void>> pauses = new ArrayList<>();
    private final SseMessages feed = new SseMessages(this::pause);

    private CompletionStage<Void> pause(long millis) {
        CompletableFuture<Void> pause = new CompletableFuture<>();
        if (millis == 0) {
            pause.complete(null);
        } else {
            pauses.add(pause);
        }
        return pause;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void offeredMessagesComeInOrderAndAreCounted() {
        feed.offer(bytes("one"));
        feed.offer(bytes("two"));
        assertThat(feed.unreadBytes()).isEqualTo(6);
        assertThat(feed.next().bytes()).asString().isEqualTo("one");
        assertThat(feed.next().bytes()).asString().isEqualTo("two");
        assertThat(feed.unreadBytes()).isZero();
        assertThat(feed.next()).isSameAs(StreamChunk.NOTHING_YET);
    }

    @Test
    void lastMessageIsMarked() {
        feed.offer(bytes("one"));
        feed.end();
        feed.offer(bytes("too late"));
        assertThat(feed.next().last()).isTrue();
        assertThat(feed.next()).isSameAs(StreamChunk.END);
    }

    @Test
    void waiterIsWokenByANewMessage() {
        CompletableFuture<Void> waiting = feed.awaitNext(1_000).toCompletableFuture();
        assertThat(waiting).isNotDone();
        feed.offer(bytes("one"));
        assertThat(waiting).isDone();
        assertThat(feed.awaitNext(1_000).toCompletableFuture()).isDone();
    }

    @Test
    void waiterIsWokenByTheEndAndByTheTimeout() {
        CompletableFuture<Void> first = feed.awaitNext(1_000).toCompletableFuture();
        pauses.get(0).complete(null);
        assertThat(first).isDone();
        CompletableFuture<Void> second = feed.awaitNext(1_000).toCompletableFuture();
        feed.end();
        assertThat(second).isDone();
    }
}
