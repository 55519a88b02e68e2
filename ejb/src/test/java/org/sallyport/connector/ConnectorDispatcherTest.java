package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.connector.demo.DemoConnector;
import org.sallyport.demo.DemoStore;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.runner.LogRecorder;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

class ConnectorDispatcherTest {
    private static final Instant NOW = Instant.EPOCH;
    private static final CallId CALL = new CallId("e", 1);
    private static final CallId OTHER = new CallId("e", 2);

    private final ScheduledThreadPoolExecutor scheduler = scheduler();
    private final CounterDemoStore counters = new CounterDemoStore();
    private final List<String> answers = new CopyOnWriteArrayList<>();
    private final List<OutgoingMessage> messages = new CopyOnWriteArrayList<>();
    private volatile Instant now = NOW;
    private final ConnectorDispatcher dispatcher = new ConnectorDispatcher(
            List.of(new DemoConnector(counters, InstantSource.fixed(NOW), scheduler, Runnable::run)),
            new MessageSender() {
                @Override
                public void send(OutgoingMessage message) {
                    messages.add(message);
                    answers.add(message.body());
                }

                @Override
                public int countWaiting(String queue, int maxCount) {
                    return 0;
                }

                @Override
                public void ping() {}
            },
            () -> now,
            1_000,
            "node-7",
            new MemoryBudgets(0, 0).calls());

    private static final class CounterDemoStore implements DemoStore {
        private long count;

        @Override
        public Optional<Json> get(String tenant, String key) {
            return Optional.empty();
        }

        @Override
        public void put(String tenant, String key, Json value) {}

        @Override
        public long count(String tenant, String name) {
            return count;
        }

        @Override
        public long increment(String tenant, String name, long by, String call) {
            count += by;
            return count;
        }

        @Override
        public List<String> ledger(String tenant, String name, int limit) {
            return List.of();
        }

        @Override
        public void recordMail(String tenant, String call, Json mail) {}

        @Override
        public List<Json> outbox(String tenant, int limit) {
            return List.of();
        }
    }

    private static ScheduledThreadPoolExecutor scheduler() {
        var scheduler = new ScheduledThreadPoolExecutor(1, Executors.defaultThreadFactory());
        scheduler.setRemoveOnCancelPolicy(true);
        return scheduler;
    }

    private void increment(long delayMillis) {
        increment(delayMillis, false);
    }

    private void increment(long delayMillis, boolean redelivered) {
        ToolCall call = new ToolCall(
                CALL,
                "t",
                new ToolName("demo", "counter_increment"),
                new Json("{\"name\":\"n\",\"delayMillis\":" + delayMillis + "}"),
                NOW.plusSeconds(60));
        dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", redelivered);
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
    void effectCancelledWhileQueuedIsNeverMade() {
        increment(3_600_000);
        assertThat(scheduler.getQueue()).hasSize(1);
        dispatcher.cancel(CALL);
        assertThat(scheduler.getQueue()).isEmpty();
        assertThat(counters.count).isZero();
        assertThat(answers).hasSize(1).allMatch(answer -> answer.contains("\"cancelled\""));
    }

    @Test
    void cancelThatOvertakesItsCallIsApplied() {
        dispatcher.cancel(CALL);
        increment(0);
        assertThat(counters.count).isZero();
        assertThat(answers).hasSize(1).allMatch(answer -> answer.contains("\"cancelled\""));
    }

    @Test
    void redeliveredEffectIsNotRepeated() {
        increment(0, true);
        assertThat(counters.count).isZero();
        assertThat(answers).hasSize(1).allMatch(answer -> answer.contains("\"outcome-unknown\""));
    }

    @Test
    void redeliveredRepeatableCallIsAnswered() {
        ToolCall call = new ToolCall(
                CALL, "t", new ToolName("demo", "add"), new Json("{\"a\":1,\"b\":2}"), NOW.plusSeconds(60));
        dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", true);
        assertThat(answers).hasSize(1).allMatch(answer -> answer.contains("3"));
    }

    private void dispatchWithLease(String tool, String arguments, long leaseMillis, boolean redelivered) {
        ToolCall call = new ToolCall(CALL, "t", new ToolName("demo", tool), new Json(arguments), NOW.plusSeconds(60));
        dispatcher.dispatch(new ToolRequestMessage(call, NOW, leaseMillis), "c", "q", redelivered);
    }

    @Test
    void requestOlderThanItsLeaseIsHandedBack() {
        now = NOW.plusMillis(9_000);
        dispatchWithLease("counter_increment", "{\"name\":\"n\"}", 8_999, false);
        assertThat(counters.count).isZero();
        assertThat(answers).containsExactly(ToolReplyMessage.HANDED_BACK);

        dispatchWithLease("counter_increment", "{\"name\":\"n\"}", 9_000, false);
        assertThat(counters.count).isEqualTo(1);
    }

    @Test
    void nodeWhoseClockIsAheadLogsThatItHandsCallsBack() {
        LogRecorder log = LogRecorder.of(LateRequestLog.class);
        try {
            now = NOW.plusSeconds(20);
            dispatchWithLease("counter_increment", "{\"name\":\"n\"}", 10_000, false);
            dispatchWithLease("counter_increment", "{\"name\":\"n\"}", 10_000, false);
        } finally {
            log.close();
        }
        assertThat(answers).containsExactly(ToolReplyMessage.HANDED_BACK, ToolReplyMessage.HANDED_BACK);
        assertThat(log.lines())
                .singleElement()
                .asString()
                .contains("call " + CALL + " of demo.counter_increment is not made", "the clocks of the nodes differ");
    }

    @Test
    void redeliveredEffectOlderThanItsLeaseIsUnknown() {
        now = NOW.plusMillis(9_000);
        dispatchWithLease("counter_increment", "{\"name\":\"n\"}", 8_999, true);
        assertThat(counters.count).isZero();
        assertThat(answers).singleElement().asString().contains("outcome-unknown");
    }

    @Test
    void readOlderThanItsLeaseIsAnswered() {
        now = NOW.plusMillis(9_000);
        dispatchWithLease("add", "{\"a\":1,\"b\":2}", 8_999, false);
        assertThat(answers).singleElement().asString().contains("3");
    }

    @Test
    void replyNamesItsNode() {
        increment(0);
        assertThat(answers)
                .hasSize(1)
                .allSatisfy(answer -> assertThat(
                                ToolReplyMessage.decode(answer).reply().node())
                        .contains("node-7"));
    }

    /** The caller of a repeatable call does not accept its reply after the deadline. */
    @Test
    void onlyReplyToACallThatMustNotBeRepeatedOutlivesItsDeadline() {
        List<Long> timesToLive = new ArrayList<>();
        for (String tool : List.of("add", "send_mail")) {
            messages.clear();
            ToolCall call = new ToolCall(
                    CALL, "t", new ToolName("demo", tool), new Json("{\"a\":1,\"b\":2}"), NOW.plusMillis(1));
            dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", false);
            assertThat(messages).hasSize(1);
            timesToLive.add(messages.get(0).timeToLiveMillis());
        }
        assertThat(timesToLive).containsExactly(1L, ToolReplyMessage.REPORT_GRACE.toMillis());
    }

    @Test
    void oversizedResultIsRejected() {
        call("echo", "{\"text\":\"" + "x".repeat(989) + "\"}");
        call("echo", "{\"text\":\"" + "x".repeat(990) + "\"}");
        assertThat(answers).hasSize(2);
        assertThat(answers.get(0)).contains("xxx");
        assertThat(answers.get(1))
                .contains("\"too-large\"", "1001 characters; at most 1000", "sallyport.limits.call-result-chars")
                .doesNotContain("xxx");
    }

    @Test
    void redeliveredCallIsNeverReportedAsUnsent() {
        AtomicInteger sent = new AtomicInteger();
        dispatcher.register(new Connector() {
            @Override
            public String backendName() {
                return "b";
            }

            @Override
            public List<ToolSpec> tools() {
                return List.of(new ToolSpec(new ToolName("b", "again"), "", Json.EMPTY_OBJECT, ToolHints.IDEMPOTENT));
            }

            @Override
            public CompletionStage<ToolResult> call(ToolCall call) {
                return CompletableFuture.completedStage(
                        ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "it is down"));
            }

            @Override
            public CompletionStage<ConnectorCallResult> callWithRetry(ToolCall call) {
                return call(call).thenApply(result -> new ConnectorCallResult(result, sent.get()));
            }
        });
        ToolCall call = new ToolCall(CALL, "t", new ToolName("b", "again"), Json.EMPTY_OBJECT, NOW.plusSeconds(60));
        dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", false);
        dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", true);
        sent.set(3);
        dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", true);
        dispatcher.unregister("b");
        dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", false);
        dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", true);
        assertThat(answers)
                .extracting(answer -> ToolReplyMessage.decode(answer).reply().attempts())
                .containsExactly(0, 1, 3, 0, 1);
    }

    /** Returns a result that the test completes. */
    private static final class ManualConnector implements Connector {
        private final CompletableFuture<ToolResult> pendingResult = new CompletableFuture<>();
        private final List<ToolCall> calls = new CopyOnWriteArrayList<>();

        @Override
        public String backendName() {
            return "b";
        }

        @Override
        public List<ToolSpec> tools() {
            return List.of(new ToolSpec(new ToolName("b", "read"), "", Json.EMPTY_OBJECT, ToolHints.READ_ONLY));
        }

        @Override
        public CompletionStage<ToolResult> call(ToolCall call) {
            calls.add(call);
            return pendingResult;
        }
    }

    /** A connector without answers. */
    private enum BrokenConnector implements Connector {
        EXCEPTION,
        ERROR,
        NO_STAGE,
        FAILED_STAGE,
        NO_RESULT;

        @Override
        public String backendName() {
            return "b";
        }

        @Override
        public List<ToolSpec> tools() {
            return List.of(
                    new ToolSpec(new ToolName("b", "read"), "", Json.EMPTY_OBJECT, ToolHints.READ_ONLY),
                    new ToolSpec(new ToolName("b", "effect"), "", Json.EMPTY_OBJECT, ToolHints.EFFECT));
        }

        @Override
        public CompletionStage<ToolResult> call(ToolCall call) {
            return CompletableFuture.failedStage(new AssertionError("not called"));
        }

        @Override
        @SuppressWarnings("NullAway") // as a faulty connector does
        public CompletionStage<ConnectorCallResult> callWithRetry(ToolCall call) {
            return switch (this) {
                case EXCEPTION -> throw new IllegalStateException("broken");
                case ERROR -> throw new NoClassDefFoundError("broken");
                case NO_STAGE -> null;
                case FAILED_STAGE -> CompletableFuture.failedFuture(new StackOverflowError());
                case NO_RESULT -> CompletableFuture.completedFuture(null);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void callOfABrokenConnectorIsAnsweredAndHoldsNothing(BrokenConnector connector) throws InterruptedException {
        dispatcher.register(connector);
        AtomicInteger answered = new AtomicInteger();
        for (String tool : List.of("effect", "read")) {
            ToolCall call = new ToolCall(CALL, "t", new ToolName("b", tool), Json.EMPTY_OBJECT, NOW.plusSeconds(60));
            dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", false, answered::incrementAndGet);
        }
        assertThat(answers).hasSize(2).first().asString().contains("\"outcome-unknown\"");
        assertThat(answers).last().asString().contains("\"tool-failed\"");
        assertThat(answered).hasValue(2);
        dispatcher.drain("other", Duration.ofMinutes(1));
        assertThat(answers).as("no call is in flight").hasSize(2);
    }

    /** The tools of the connector are needed to decide whether the late call is handed back. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callThatFailsBeforeItsConnectorIsAnsweredAndHoldsNothing(boolean redelivered) throws InterruptedException {
        dispatcher.register(new Connector() {
            @Override
            public String backendName() {
                return "b";
            }

            @Override
            public List<ToolSpec> tools() {
                throw new IllegalStateException("no tools");
            }

            @Override
            public CompletionStage<ToolResult> call(ToolCall call) {
                return CompletableFuture.failedStage(new AssertionError("not called"));
            }
        });
        AtomicInteger answered = new AtomicInteger();
        ToolCall call = new ToolCall(CALL, "t", new ToolName("b", "effect"), Json.EMPTY_OBJECT, NOW.plusSeconds(60));
        now = NOW.plusSeconds(20);
        dispatcher.dispatch(
                new ToolRequestMessage(call, NOW, 10_000), "c", "q", redelivered, answered::incrementAndGet);
        assertThat(answered).hasValue(1);
        dispatcher.drain("other", Duration.ofMinutes(1));
        assertThat(answers)
                .singleElement()
                .asString()
                .contains(redelivered ? "\"outcome-unknown\"" : "\"backend-unavailable\"")
                .satisfies(answer -> assertThat(
                                ToolReplyMessage.decode(answer).reply().attempts())
                        .isEqualTo(redelivered ? 1 : 0));
    }

    @Test
    void oversizedDetailsOfAnErrorAreLeftOut() {
        ManualConnector connector = new ManualConnector();
        dispatcher.register(connector);
        Json details = Json.member("text", "x".repeat(1_000));
        connector.pendingResult.complete(new ToolResult.ToolFailure(
                new ToolError(ToolErrorCode.TOOL_FAILED, "no such order", Optional.of(details))));

        dispatcher.dispatch(request(NOW), "c", "q", false);

        assertThat(answers)
                .singleElement()
                .asString()
                .contains("\"tool-failed\"", "no such order (its details have 1011 characters and are left out")
                .doesNotContain("xxx");
    }

    private static ToolRequestMessage request(Instant sentAt) {
        return new ToolRequestMessage(
                new ToolCall(CALL, "t", new ToolName("b", "read"), Json.EMPTY_OBJECT, sentAt.plusSeconds(60)), sentAt);
    }

    @ParameterizedTest
    @ValueSource(longs = {3_600, -3_600})
    void replyTimeToLiveIgnoresClockChanges(long seconds) {
        ManualConnector connector = new ManualConnector();
        dispatcher.register(connector);
        dispatcher.dispatch(request(NOW), "c", "q", false);
        now = NOW.plusSeconds(seconds);

        connector.pendingResult.complete(ToolResult.success(Json.NULL));

        assertThat(messages)
                .singleElement()
                .satisfies(message -> assertThat(message.timeToLiveMillis()).isBetween(1_000L, 60_000L));
    }

    @Test
    void callFromANodeWithAFastClockGetsNoExtraTime() {
        ManualConnector connector = new ManualConnector();
        dispatcher.register(connector);

        dispatcher.dispatch(request(NOW.plusSeconds(3_600)), "c", "q", false);
        connector.pendingResult.complete(ToolResult.success(Json.NULL));

        assertThat(connector.calls)
                .singleElement()
                .satisfies(call -> assertThat(call.deadline()).isEqualTo(NOW.plusSeconds(60)));
        assertThat(messages)
                .singleElement()
                .satisfies(message -> assertThat(message.timeToLiveMillis()).isBetween(1_000L, 60_000L));
    }

    @Test
    void queueTimeReducesTheRemainingCallTime() {
        ManualConnector connector = new ManualConnector();
        dispatcher.register(connector);
        dispatcher.dispatch(request(NOW.minusSeconds(20)), "c", "q", false);
        assertThat(connector.calls)
                .singleElement()
                .satisfies(call -> assertThat(call.deadline()).isEqualTo(NOW.plusSeconds(40)));
    }

    @Test
    void completedEffectCannotBeCancelled() {
        increment(0);
        dispatcher.cancel(CALL);
        assertThat(counters.count).isEqualTo(1);
    }

    @Test
    void drainWaitsForCallsOfOtherQueuesOnly() throws InterruptedException {
        CountDownLatch drained = new CountDownLatch(1);
        scheduler.execute(() -> await(drained)); // blocks the only thread: no call is answered until then
        increment(1);
        dispatcher.drain("q", Duration.ofMinutes(1));
        assertThat(answers).as("its own").isEmpty();
        drained.countDown();
        dispatcher.drain("other", Duration.ofMinutes(1));
        assertThat(answers).hasSize(1).allMatch(answer -> answer.contains("result"));
        increment(0);
        assertThat(answers).hasSize(2).last().isEqualTo(ToolReplyMessage.HANDED_BACK);
        assertThat(counters.count).isEqualTo(1);
    }

    @Test
    void drainHandsBackRepeatableCallsAndReportsEffectsAsUnknown() throws InterruptedException {
        increment(60_000);
        call("slow", "{\"millis\":60000}");
        dispatcher.drain("other", Duration.ofMillis(1));
        assertThat(answers).hasSize(2).first().asString().contains("outcome-unknown", "\"node\":\"node-7\"");
        assertThat(answers).last().isEqualTo(ToolReplyMessage.HANDED_BACK_STARTED);
        dispatcher.cancel(CALL);
        dispatcher.cancel(OTHER);
        assertThat(answers).as("each is answered once").hasSize(2);
    }

    @Test
    void unstartedCallIsHandedBackAlthoughItsConnectorReplies() throws InterruptedException {
        CompletableFuture<ToolResult> coming = new CompletableFuture<>();
        dispatcher.register(new Connector() {
            @Override
            public String backendName() {
                return "demo";
            }

            @Override
            public List<ToolSpec> tools() {
                return List.of();
            }

            @Override
            public CompletionStage<ToolResult> call(ToolCall call) {
                return coming;
            }

            @Override
            public boolean cancelIfNotStarted(CallId call) {
                return coming.complete(ToolResult.failure(ToolErrorCode.CANCELLED, "not begun"));
            }
        });
        call("effect", "{}");
        dispatcher.drain("other", Duration.ofMillis(1));
        assertThat(answers).containsExactly(ToolReplyMessage.HANDED_BACK);
    }

    @Test
    void redeliveredEffectIsNotHandedBackAfterADrain() throws InterruptedException {
        dispatcher.drain("other", Duration.ofMillis(1));
        ToolCall call = new ToolCall(
                CALL,
                "t",
                new ToolName("demo", "counter_increment"),
                new Json("{\"name\":\"n\"}"),
                NOW.plusSeconds(60));

        dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", true);

        assertThat(answers).singleElement().asString().contains("outcome-unknown");
        assertThat(counters.count).isZero();
    }

    private void call(String tool, String arguments) {
        ToolCall call = new ToolCall(OTHER, "t", new ToolName("demo", tool), new Json(arguments), NOW.plusSeconds(60));
        dispatcher.dispatch(new ToolRequestMessage(call, NOW), "c", "q", false);
    }
}
