package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.messaging.ToolRequestMessage;
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
    private static final ToolName SEND = new ToolName("demo", "send");
    private static final int MAX_RESENDS = 10;

    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    private final BlockingQueue<OutgoingMessage> sent = new LinkedBlockingQueue<>();
    private volatile Instant now = Instant.EPOCH;
    /** What the broker answers to messages; null if it accepts them. */
    private volatile @Nullable BrokerUnavailableException brokerFailure;

    /** The term in which the node holds its lease; 0 if it holds none. */
    private volatile int leaseTerm = 1;

    private final JmsToolBridge bridge = bridge(scheduler);

    private volatile Supplier<Redactor> redactor = () -> Redactor.NONE;

    private final class FakeLease implements LeaseView {
        @Override
        public int term() {
            return leaseTerm;
        }

        @Override
        public Duration remaining(int asked) {
            return asked == leaseTerm && asked != 0 ? Duration.ofMillis(9_000) : Duration.ZERO;
        }
    }

    private JmsToolBridge bridge(ScheduledExecutorService timer) {
        return bridge(timer, Runnable::run, Runnable::run);
    }

    private JmsToolBridge bridge(ScheduledExecutorService timer, Executor callerSends, Executor sends) {
        JmsToolBridge created = new JmsToolBridge(
                catalog(),
                new MessageSender() {
                    @Override
                    public void send(OutgoingMessage message) {
                        BrokerUnavailableException failure = brokerFailure;
                        if (failure != null) {
                            throw failure;
                        }
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
                new JmsToolBridge.BridgeExecutors(timer, callerSends, sends),
                () -> now,
                tenant -> redactor.get(),
                new Random(1));
        created.setLease(new FakeLease());
        return created;
    }

    private static ToolCatalog catalog() {
        ToolCatalog catalog = new ToolCatalog();
        catalog.put(
                new CatalogBackend("demo", "java", "calls"),
                List.of(
                        new ToolSpec(ADD, "", new Json("{}"), Optional.empty(), ToolHints.READ_ONLY),
                        new ToolSpec(SEND, "", new Json("{}"), Optional.empty(), ToolHints.EFFECT)));
        return catalog;
    }

    private CompletableFuture<ToolReply> call() {
        return call(60_000);
    }

    private CompletableFuture<ToolReply> call(long millis) {
        return call(ADD, millis);
    }

    private CompletableFuture<ToolReply> call(ToolName tool, long millis) {
        return bridge.send(
                        new ToolCall(new CallId("e", 1), "t", tool, new Json("{}"), Instant.EPOCH.plusMillis(millis)))
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
    void callWhoseReplyCannotBeRedactedIsAnswered() throws InterruptedException {
        redactor = () -> {
            throw new IllegalStateException("no redactor, as the test says");
        };
        for (ToolName tool : List.of(ADD, SEND)) {
            CompletableFuture<ToolReply> reply = call(tool, 60_000);
            bridge.onReply(correlation(sent()), ToolReply.local(ToolResult.success(new Json("\"secret\""))));
            assertThat(reply)
                    .isCompletedWithValueMatching(received -> received.result()
                                    instanceof ToolResult.ToolFailure failure
                            && failure.error().code()
                                    == (tool.equals(ADD) ? ToolErrorCode.TOOL_FAILED : ToolErrorCode.OUTCOME_UNKNOWN));
        }
        assertThat(bridge.pendingCount()).isZero();
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
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            ScheduledFuture<?> done = super.schedule(command, 0, TimeUnit.MILLISECONDS);
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

    /** Keeps the tasks until the test runs them. */
    private static final class ManualTimer extends ScheduledThreadPoolExecutor {
        private final List<Runnable> tasks = new ArrayList<>();
        private final List<Long> delays = new ArrayList<>();

        ManualTimer() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            tasks.add(command);
            delays.add(unit.toMillis(delay));
            return super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }
    }

    private CompletableFuture<ToolReply> callWith(ManualTimer timer, JmsToolBridge waiting, ToolName tool) {
        CompletableFuture<ToolReply> reply = waiting.send(
                        new ToolCall(new CallId("e", 1), "t", tool, new Json("{}"), Instant.EPOCH.plusMillis(1_000)))
                .toCompletableFuture();
        assertThat(timer.tasks).hasSize(1);
        return reply;
    }

    private static ToolErrorCode code(CompletableFuture<ToolReply> reply) {
        assertThat(reply).isCompleted();
        return ((ToolResult.ToolFailure) reply.join().result()).error().code();
    }

    /** A message that the broker did not confirm may have reached it. */
    @ParameterizedTest
    @CsvSource({
        "send, true,  OUTCOME_UNKNOWN,     1",
        "send, false, BACKEND_UNAVAILABLE, 0",
        "add,  true,  BACKEND_UNAVAILABLE, 1",
        "add,  false, BACKEND_UNAVAILABLE, 0"
    })
    void onlyCallsThatMayBeSentAgainAreRetryableWithoutTheBroker(
            String tool, boolean maybeSent, ToolErrorCode expected, int attempts) {
        brokerFailure = new BrokerUnavailableException("away", new IllegalStateException(), maybeSent);
        CompletableFuture<ToolReply> reply = call(new ToolName("demo", tool), 60_000);
        assertThat(code(reply)).isEqualTo(expected);
        assertThat(reply.join().attempts()).isEqualTo(attempts);
        assertThat(bridge.pendingCount()).isZero();
    }

    @Test
    void repeatableCallThatMayHaveStartedCountsAsSentAtItsDeadline() throws InterruptedException {
        ManualTimer timer = new ManualTimer();
        try {
            JmsToolBridge waiting = bridge(timer);
            CompletableFuture<ToolReply> reply = callWith(timer, waiting, ADD);
            waiting.onHandedBack(correlation(sent()), true);
            timer.tasks.get(0).run();
            assertThat(code(reply)).isEqualTo(ToolErrorCode.TIMEOUT);
            assertThat(reply.join().attempts()).isGreaterThanOrEqualTo(2);
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void effectWithoutAReplyIsUnknownAfterTheReportOfItsConnectorIsDue() {
        ManualTimer timer = new ManualTimer();
        try {
            CompletableFuture<ToolReply> reply = callWith(timer, bridge(timer), SEND);
            assertThat(timer.delays).containsExactly(1_000 + ToolReplyMessage.REPORT_GRACE.toMillis());
            assertThat(reply).isNotDone();
            timer.tasks.get(0).run();
            assertThat(code(reply)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
            assertThat(code(reply).isRetryable()).isFalse();
            assertThat(reply.join().attempts()).isEqualTo(1);
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void repeatableCallWithoutAReplyTimesOutAtItsDeadline() {
        ManualTimer timer = new ManualTimer();
        try {
            CompletableFuture<ToolReply> reply = callWith(timer, bridge(timer), ADD);
            assertThat(timer.delays).containsExactly(1_000L);
            timer.tasks.get(0).run();
            assertThat(code(reply)).isEqualTo(ToolErrorCode.TIMEOUT);
            assertThat(reply.join().attempts()).isEqualTo(1);
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void effectThatWasHandedBackIsNotSentAfterItsDeadline() throws InterruptedException {
        ManualTimer timer = new ManualTimer();
        try {
            JmsToolBridge waiting = bridge(timer);
            CompletableFuture<ToolReply> reply = callWith(timer, waiting, SEND);
            waiting.onHandedBack(correlation(sent()), false);
            now = Instant.EPOCH.plusMillis(1_000);
            timer.tasks.get(1).run();
            assertThat(sent).isEmpty();
            assertThat(code(reply)).isEqualTo(ToolErrorCode.TIMEOUT);
            assertThat(reply.join().attempts()).as("it was certainly not sent").isZero();
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void effectThatWasHandedBackAndSentAgainIsUnknownWithoutAReply() throws InterruptedException {
        ManualTimer timer = new ManualTimer();
        try {
            JmsToolBridge waiting = bridge(timer);
            CompletableFuture<ToolReply> reply = callWith(timer, waiting, SEND);
            waiting.onHandedBack(correlation(sent()), false);
            timer.tasks.get(1).run();
            assertThat(sent).hasSize(1);
            timer.tasks.get(0).run();
            assertThat(code(reply)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void requestCarriesTheRestOfItsLease() throws InterruptedException {
        call();
        assertThat(ToolRequestMessage.decode(sent().body()).leaseMillis()).isEqualTo(9_000);
    }

    /** Another run of the execution makes the call, so that the script must not see that this one was not made. */
    @Test
    void callIsNotSentWithoutALease() {
        ManualTimer timer = new ManualTimer();
        try {
            leaseTerm = 0;
            CompletableFuture<ToolReply> reply = callWith(timer, bridge(timer), SEND);
            assertThat(sent).isEmpty();
            assertThat(reply).isNotDone();
            timer.tasks.get(0).run();
            assertThat(code(reply)).isEqualTo(ToolErrorCode.TIMEOUT);
            assertThat(reply.join().attempts()).as("it was certainly not sent").isZero();
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void callOfAnEarlierTermIsNotSent() throws InterruptedException {
        ManualTimer timer = new ManualTimer();
        List<Runnable> delayed = new ArrayList<>();
        try {
            JmsToolBridge waiting = bridge(timer, delayed::add, Runnable::run);
            callWith(timer, waiting, SEND);
            leaseTerm = 2;
            delayed.remove(0).run();
            assertThat(sent).as("a call that waited to be sent").isEmpty();

            waiting.send(new ToolCall(new CallId("e", 2), "t", SEND, new Json("{}"), Instant.EPOCH.plusMillis(1_000)));
            delayed.remove(0).run();
            OutgoingMessage request = sent();
            leaseTerm = 3;
            waiting.onHandedBack(correlation(request), false);
            timer.tasks.get(timer.tasks.size() - 1).run();
            assertThat(sent).as("a call that was handed back").isEmpty();
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void fullSendQueueRefusesAsNotSent() {
        JmsToolBridge full = bridge(
                scheduler,
                send -> {
                    throw new RejectedExecutionException("full");
                },
                Runnable::run);
        CompletableFuture<ToolReply> reply = full.send(
                        new ToolCall(new CallId("e", 1), "t", SEND, new Json("{}"), Instant.EPOCH.plusMillis(60_000)))
                .toCompletableFuture();
        assertThat(code(reply)).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(reply.join().attempts()).isZero();
        assertThat(full.pendingCount()).isZero();
    }

    @Test
    void cancellationEndsItsCallAlthoughTheSendQueueIsFull() {
        JmsToolBridge full = bridge(scheduler, Runnable::run, send -> {
            throw new RejectedExecutionException("full");
        });
        CompletableFuture<ToolReply> reply = full.send(
                        new ToolCall(new CallId("e", 1), "t", SEND, new Json("{}"), Instant.EPOCH.plusMillis(60_000)))
                .toCompletableFuture();
        full.cancel(new CallId("e", 1));
        assertThat(code(reply)).isEqualTo(ToolErrorCode.CANCELLED);
    }

    @Test
    void callWhoseDeadlineHasPassedIsNotSent() {
        CompletableFuture<ToolReply> reply = call(0);
        assertThat(code(reply)).isEqualTo(ToolErrorCode.TIMEOUT);
        assertThat(reply.join().attempts()).isZero();
        assertThat(sent).isEmpty();
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
    void callWithoutMemoryIsSentAgainUntilItsDeadline() throws InterruptedException {
        ManualTimer timer = new ManualTimer();
        try {
            JmsToolBridge waiting = bridge(timer);
            CompletableFuture<ToolReply> reply = callWith(timer, waiting, SEND);
            String correlation = correlation(sent());
            for (int i = 0; i < 2 * MAX_RESENDS; i++) {
                waiting.onHandedBackWithoutMemory(correlation);
                timer.tasks.get(timer.tasks.size() - 1).run();
                assertThat(correlation(sent())).isEqualTo(correlation);
            }
            assertThat(reply).isNotDone();

            waiting.onHandedBackWithoutMemory(correlation);
            timer.tasks.get(0).run();
            assertThat(code(reply)).isEqualTo(ToolErrorCode.TIMEOUT);
            assertThat(reply.join().attempts()).as("it was certainly not sent").isZero();
        } finally {
            timer.shutdownNow();
        }
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
