package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.Backend;
import org.sallyport.catalog.Catalog;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

class JmsToolBridgeTest {
    private static final ToolName ADD = new ToolName("demo", "add");
    private static final int MOST_BACK = 10;

    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    private final BlockingQueue<OutgoingMessage> sent = new LinkedBlockingQueue<>();
    private final JmsToolBridge bridge = new JmsToolBridge(
            catalog(),
            new MessageSender() {
                @Override
                public void send(OutgoingMessage message) {
                    sent.add(message);
                }

                @Override
                public int waiting(String queue, int most) {
                    return 0;
                }

                @Override
                public void ping() {}
            },
            "replies",
            scheduler,
            Runnable::run,
            InstantSource.fixed(Instant.EPOCH),
            tenant -> Redaction.NOTHING,
            new Random(1));

    private static Catalog catalog() {
        Catalog catalog = new Catalog();
        catalog.put(
                new Backend("demo", "java", "calls"),
                List.of(new ToolSpec(ADD, "", new Json("{}"), Optional.empty(), ToolHints.READ_ONLY)));
        return catalog;
    }

    private CompletableFuture<ToolReply> call() {
        return bridge.send(new ToolCall(new CallId("e", 1), "t", ADD, new Json("{}"), Instant.EPOCH.plusSeconds(60)))
                .toCompletableFuture();
    }

    private OutgoingMessage sent() throws InterruptedException {
        return Objects.requireNonNull(sent.poll(1, TimeUnit.MINUTES), "nothing was sent");
    }

    private static String correlation(OutgoingMessage message) {
        return Objects.requireNonNull(message.correlationId());
    }

    @AfterEach
    void stopThreads() {
        scheduler.shutdownNow();
    }

    @Test
    void whatIsHandedBackIsSentAgainAndAnsweredOnce() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        OutgoingMessage first = sent();
        bridge.handedBack(correlation(first), false);
        OutgoingMessage again = sent();
        assertThat(again).isEqualTo(first);
        assertThat(reply).isNotDone();
        bridge.replied(correlation(again), ToolReply.local(ToolResult.success(new Json("3"))));
        assertThat(reply).isCompletedWithValue(ToolReply.local(ToolResult.success(new Json("3"))));
        bridge.handedBack(correlation(first), false);
        assertThat(bridge.lateReplies()).isEqualTo(1);
        assertThat(bridge.open()).isZero();
    }

    @Test
    void whatIsCancelledBeforeItIsSentAgainStays() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        bridge.handedBack(correlation(sent()), false);
        bridge.cancel(new CallId("e", 1));
        assertThat(reply).isDone();
        assertThat(sent().topic()).as("the withdrawal").isTrue();
        scheduler.shutdown(); // what was to be done later is dropped by now, or done
        scheduler.awaitTermination(1, TimeUnit.MINUTES);
        assertThat(sent).isEmpty();
    }

    @Test
    void whatEverybodyHandsBackFailsInTheEnd() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        for (int i = 0; i < MOST_BACK; i++) {
            bridge.handedBack(correlation(sent()), false);
        }
        assertThat(reply).isNotDone();
        bridge.handedBack(correlation(sent()), false);
        assertThat(reply.join().result())
                .isInstanceOfSatisfying(
                        ToolResult.Failure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE));
        assertThat(bridge.open()).isZero();
    }

    @Test
    void whatMayHaveBegunBeforeItWasHandedBackIsNeverOneThatWasNotSent() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        bridge.handedBack(correlation(sent()), true);
        ToolResult starting = ToolResult.failure(ToolErrorCode.BACKEND_STARTING, "starts");

        bridge.replied(correlation(sent()), new ToolReply(starting, 0, 0, 0));

        assertThat(reply.join().attempts()).isEqualTo(2);
    }
}
