package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.redaction.Redactor;
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
    private static final int MAX_RESENDS = 10;

    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    private final BlockingQueue<OutgoingMessage> sent = new LinkedBlockingQueue<>();
    private final JmsToolBridge bridge = bridge(scheduler);

    private JmsToolBridge bridge(ScheduledExecutorService timer) {
        return new JmsToolBridge(
                catalog(),
                new MessageSender() {
                    @Override
                    public void send(OutgoingMessage message) {
                        sent.add(message);
                    }

                    @Override
                    public int countWaiting(String queue, int maxCount) {
                        return 0;
                    }

                    @Override
                    public void ping() {}
                },
                "replies",
                timer,
                Runnable::run,
                InstantSource.fixed(Instant.EPOCH),
                tenant -> Redactor.NONE,
                new Random(1));
    }

    private static ToolCatalog catalog() {
        ToolCatalog catalog = new ToolCatalog();
        catalog.put(
                new CatalogBackend("demo", "java", "calls"),
                List.of(new ToolSpec(ADD, "", new Json("{}"), Optional.empty(), ToolHints.READ_ONLY)));
        return catalog;
    }

    private CompletableFuture<ToolReply> call() {
        return call(60_000);
    }

    private CompletableFuture<ToolReply> call(long millis) {
        return bridge.send(new ToolCall(new CallId("e", 1), "t", ADD, new Json("{}"), Instant.EPOCH.plusMillis(millis)))
                .toCompletableFuture();
    }

    private OutgoingMessage sent() throws InterruptedException {
        return Objects.requireNonNull(sent.poll(1, TimeUnit.MINUTES), "nothing was sent");
    }

    private static String correlation(OutgoingMessage message) {
        return Objects.requireNonNull(message.correlationId());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void stopThreads() {
        scheduler.shutdownNow();
    }

    @Test
    void handedBackCallIsResentAndAnsweredOnce() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        OutgoingMessage first = sent();
        bridge.onHandedBack(correlation(first), false);
        OutgoingMessage resent = sent();
        assertThat(resent).isEqualTo(first);
        assertThat(reply).isNotDone();
        bridge.onReply(correlation(resent), ToolReply.local(ToolResult.success(new Json("3"))));
        assertThat(reply).isCompletedWithValue(ToolReply.local(ToolResult.success(new Json("3"))));
        bridge.onHandedBack(correlation(first), false);
        assertThat(bridge.lateReplies()).isEqualTo(1);
        assertThat(bridge.pendingCount()).isZero();
    }

    @Test
    void forgedRepliesAreDistinguishedFromLateOnes() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        String name = correlation(sent());
        ToolReply answer = ToolReply.local(ToolResult.success(new Json("3")));
        List<String> forged = List.of(
                "",
                "x",
                name + "0",
                name.substring(1),
                (name.startsWith("0") ? "1" : "0") + name.substring(1),
                name.substring(16) + name.substring(0, 16));
        for (String guess : forged) {
            bridge.onReply(guess, answer);
            bridge.onHandedBack(guess, true);
        }
        bridge.countMalformed();
        assertThat(reply).isNotDone();
        assertThat(bridge.unsolicitedReplies()).isEqualTo(2 * forged.size() + 1);
        assertThat(bridge.lateReplies()).isZero();

        bridge.onReply(name, answer);
        assertThat(reply).isCompletedWithValue(answer);
        bridge.onReply(name, answer);
        bridge.onHandedBack(name, false);
        assertThat(bridge.lateReplies()).isEqualTo(2);
        assertThat(bridge.unsolicitedReplies()).isEqualTo(2 * forged.size() + 1);
    }

    @Test
    void connectorReportIsPassedThrough() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        ToolReply connectorReply = new ToolReply(ToolResult.success(new Json("1")), 2, 3, 4).withNode("node-7");
        bridge.onReply(correlation(sent()), connectorReply);
        assertThat(reply.join()).isEqualTo(connectorReply);
    }

    @Test
    void callCancelledBeforeItsResendIsNotResent() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        CountDownLatch cancelled = new CountDownLatch(1);
        scheduler.execute(() -> await(cancelled)); // blocks the only thread: no call is sent again until then
        bridge.onHandedBack(correlation(sent()), false);
        bridge.cancel(new CallId("e", 1));
        assertThat(reply).isDone();
        assertThat(sent().topic()).as("the withdrawal").isTrue();
        cancelled.countDown();
        scheduler.shutdown(); // by now the delayed tasks are dropped or done
        scheduler.awaitTermination(1, TimeUnit.MINUTES);
        assertThat(sent).isEmpty();
    }

    /**
     * Timer that runs each task immediately, as if the calling thread had been suspended before it registered the call.
     */
    private static final class ImmediateTimer extends ScheduledThreadPoolExecutor {
        ImmediateTimer() {
            super(1);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> command, long delay, TimeUnit unit) {
            ScheduledFuture<V> done = super.schedule(command, 0, TimeUnit.MILLISECONDS);
            while (!done.isDone()) {
                Thread.onSpinWait();
            }
            return done;
        }
    }

    @Test
    void callThatTimesOutBeforeItsRegistrationIsNotSent() {
        ImmediateTimer timer = new ImmediateTimer();
        try {
            JmsToolBridge hurried = bridge(timer);
            CompletableFuture<ToolReply> reply = hurried.send(
                            new ToolCall(new CallId("e", 1), "t", ADD, new Json("{}"), Instant.EPOCH.plusMillis(1)))
                    .toCompletableFuture();

            assertThat(reply).isDone();
            assertThat(reply.join().result())
                    .isInstanceOfSatisfying(
                            ToolResult.ToolFailure.class,
                            failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.TIMEOUT));
            assertThat(sent).isEmpty();
            assertThat(hurried.pendingCount()).isZero();
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void replyAfterTheTimeoutIsDroppedAndCounted() throws InterruptedException {
        CountDownLatch isSent = new CountDownLatch(1);
        scheduler.execute(() -> await(isSent)); // blocks the only thread: no call times out until then
        CompletableFuture<ToolReply> reply = call(1);
        OutgoingMessage request = sent();
        isSent.countDown();
        assertThat(reply.join().result())
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.TIMEOUT));
        assertThat(bridge.lateReplies()).isZero();

        bridge.onReply(correlation(request), ToolReply.local(ToolResult.success(new Json("3"))));

        assertThat(bridge.lateReplies()).isEqualTo(1);
        assertThat(reply.join().result()).isInstanceOf(ToolResult.ToolFailure.class);
        assertThat(bridge.pendingCount()).isZero();
    }

    @Test
    void replyAfterTheCancelIsDroppedAndCounted() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        OutgoingMessage request = sent();
        bridge.cancel(new CallId("e", 1));
        assertThat(sent().topic()).as("the withdrawal").isTrue();
        assertThat(bridge.lateReplies()).isZero();

        bridge.onReply(correlation(request), ToolReply.local(ToolResult.success(new Json("3"))));
        bridge.onReply(correlation(request), ToolReply.local(ToolResult.success(new Json("3"))));

        assertThat(bridge.lateReplies()).isEqualTo(2);
        assertThat(reply.join().result())
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.CANCELLED));
        assertThat(bridge.pendingCount()).isZero();
    }

    @Test
    void callFailsAfterTheMaximumOfResends() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        for (int i = 0; i < MAX_RESENDS; i++) {
            bridge.onHandedBack(correlation(sent()), false);
        }
        assertThat(reply).isNotDone();
        bridge.onHandedBack(correlation(sent()), false);
        assertThat(reply.join().result())
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE));
        assertThat(bridge.pendingCount()).isZero();
    }

    @Test
    void callHandedBackAfterItsStartIsNeverReportedAsUnsent() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        bridge.onHandedBack(correlation(sent()), true);
        ToolResult starting = ToolResult.failure(ToolErrorCode.BACKEND_STARTING, "starts");

        bridge.onReply(correlation(sent()), new ToolReply(starting, 0, 0, 0));

        assertThat(reply.join().attempts()).isEqualTo(2);
    }
}
