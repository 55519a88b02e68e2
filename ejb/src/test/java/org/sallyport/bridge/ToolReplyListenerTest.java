package org.sallyport.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Message;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

class ToolReplyListenerTest {
    private static final ToolName ADD = new ToolName("demo", "add");
    private static final CallId CALL = new CallId("e", 1);
    private static final ToolReply REPLY = ToolReply.local(ToolResult.success(new Json("3")));
    private static final String BODY = new ToolReplyMessage(REPLY).encode();
    /** A tenant may hold half of it. */
    private static final long MAX_WAITING_BYTES = 2 * 3 * 4L * BODY.length();

    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final BlockingQueue<OutgoingMessage> sent = new LinkedBlockingQueue<>();
    private final JmsToolBridge bridge = new JmsToolBridge(
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
            new JmsToolBridge.BridgeExecutors(scheduler, Runnable::run, Runnable::run),
            () -> Instant.EPOCH,
            tenant -> Redactor.NONE,
            new Random(1));
    private final MemoryBudget budget;
    private final ToolReplyListener listener = new ToolReplyListener();

    ToolReplyListenerTest() {
        bridge.setLease(new LeaseView() {
            @Override
            public int term() {
                return 1;
            }

            @Override
            public Duration remaining(int asked) {
                return Duration.ofMinutes(1);
            }
        });
        budget = new MemoryBudgets(0, 0).replies();
        listener.bridge = bridge;
        listener.receiver = new ToolReplyReceiver(bridge, budget, MAX_WAITING_BYTES, Runnable::run);
    }

    private static ToolCatalog catalog() {
        ToolCatalog catalog = new ToolCatalog();
        catalog.put(
                new CatalogBackend("demo", "java", "calls"),
                List.of(new ToolSpec(ADD, "", new Json("{}"), Optional.empty(), ToolHints.READ_ONLY)));
        return catalog;
    }

    private CompletableFuture<ToolReply> call() {
        return call(CALL, "t");
    }

    private CompletableFuture<ToolReply> call(CallId id, String tenant) {
        return bridge.send(new ToolCall(id, tenant, ADD, new Json("{}"), Instant.EPOCH.plusSeconds(600)))
                .toCompletableFuture();
    }

    private String correlation() throws InterruptedException {
        OutgoingMessage message = Objects.requireNonNull(sent.poll(1, TimeUnit.MINUTES), "nothing was sent");
        assertThat(message.tenant()).isPresent();
        return Objects.requireNonNull(message.correlationId());
    }

    private MemoryBudget.MemoryReservation reserveShare() {
        return budget.tryReserve("t", budget.maxBytesPerOwner()).orElseThrow();
    }

    private void receive(String correlation, String body) {
        listener.onMessage((Message) Proxy.newProxyInstance(
                Message.class.getClassLoader(),
                new Class<?>[] {Message.class},
                (proxy, called, given) -> switch (called.getName()) {
                    case "getJMSCorrelationID" -> correlation;
                    case "getBody" -> body;
                    default -> throw new UnsupportedOperationException(called.toString());
                }));
    }

    @AfterEach
    void stopThreads() {
        scheduler.shutdownNow();
        threads.shutdownNow();
    }

    @Test
    void memoryOfAReplyIsHeldUntilItIsDelivered() throws InterruptedException {
        CompletableFuture<Long> usedAtDelivery = call().thenApply(reply -> budget.usedBytes("t"));

        receive(correlation(), BODY);

        assertThat(usedAtDelivery).isCompletedWithValue(4L * BODY.length());
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void replyWaitsForMemory() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        MemoryBudget.MemoryReservation other = reserveShare();
        receive(correlation(), BODY);
        assertThat(reply).isNotDone();

        other.close();

        assertThat(reply).isCompletedWithValue(REPLY);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void waitEndsWithTheCall() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        MemoryBudget.MemoryReservation other = reserveShare();
        receive(correlation(), BODY);

        bridge.cancel(CALL);

        assertThat(reply).isCompleted();
        assertThat(bridge.lateReplies()).isEqualTo(1);
        assertThat(budget.waitingCount()).isZero();
        other.close();
        assertThat(budget.usedBytes()).isZero();
    }

    /** The replies are received on one thread, which would not reach the last one if it waited. */
    @Test
    void repliesOfATenantWithoutMemoryDoNotDelayThoseOfOthers() throws InterruptedException {
        MemoryBudget.MemoryReservation other = reserveShare();
        List<CompletableFuture<ToolReply>> waiting = new ArrayList<>();
        for (int n = 1; n <= 3; n++) {
            waiting.add(call(new CallId("e", n), "t"));
            receive(correlation(), BODY);
        }
        CompletableFuture<ToolReply> reply = call(new CallId("f", 1), "u");

        receive(correlation(), BODY);

        assertThat(reply).isCompletedWithValue(REPLY);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        other.close();
        assertThat(waiting).allSatisfy(each -> assertThat(each).isCompletedWithValue(REPLY));
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void replyThatIsInvalidAfterItsWaitHoldsNoMemory() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();
        MemoryBudget.MemoryReservation other = reserveShare();
        receive(correlation(), "{}");
        other.close();
        assertThat(reply).isNotDone();
        assertThat(bridge.unsolicitedReplies()).isEqualTo(1);
        assertThat(budget.usedBytes()).isZero();
    }

    /** More replies than a tenant may have waiting stay in the broker. */
    @Test
    void threadWaitsWhenTooManyRepliesOfATenantWait() throws Exception {
        MemoryBudget.MemoryReservation other = reserveShare();
        List<CompletableFuture<ToolReply>> replies = new ArrayList<>();
        for (int n = 1; n <= 4; n++) {
            replies.add(call(new CallId("e", n), "t"));
        }
        for (int n = 1; n <= 3; n++) {
            receive(correlation(), BODY);
        }
        String last = correlation();
        Future<?> receiving = threads.submit(() -> receive(last, BODY));
        while (budget.waitingCount() < 4) {
            assertThat(receiving.isDone()).as("it waits for memory").isFalse();
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(receiving.isDone()).isFalse();

        other.close();

        receiving.get(1, TimeUnit.MINUTES);
        assertThat(replies).allSatisfy(each -> assertThat(each).isCompletedWithValue(REPLY));
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void replyThatNoCallWaitsForIsNotDecoded() {
        receive("forged", "[".repeat(1_000_000));

        assertThat(bridge.unsolicitedReplies()).isEqualTo(1);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void invalidReplyHoldsNoMemory() throws InterruptedException {
        CompletableFuture<ToolReply> reply = call();

        receive(correlation(), "{}");

        assertThat(reply).isNotDone();
        assertThat(bridge.unsolicitedReplies()).isEqualTo(1);
        assertThat(budget.usedBytes()).isZero();
    }
}
