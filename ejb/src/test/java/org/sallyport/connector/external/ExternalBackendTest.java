package org.sallyport.connector.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ConnectorCommand;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolResult;

class ExternalBackendTest {
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(10);
    private static final String REGISTRATION =
            "{\"v\":1,\"register\":{\"instance\":\"i1\",\"revision\":\"1\",\"tools\":[{\"name\":\"count\","
                    + "\"readOnly\":true}]}}";

    /** Does not run the periodic poll: the test polls by hand. */
    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(0) {
        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long pause, TimeUnit unit) {
            return schedule(() -> {}, 1, TimeUnit.HOURS);
        }
    };

    private final FakeConnectorChannel channel = new FakeConnectorChannel();
    private final List<String> states = new ArrayList<>();
    private final List<List<ToolDefinition>> tools = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private @Nullable String accountFailure;
    private boolean databaseAway;
    private int random;

    private final ExternalBackend backend = new ExternalBackend(
            "texts",
            HEARTBEAT_TIMEOUT,
            new BackendConnection.ConnectionListener() {
                @Override
                public void onStateChanged(BackendState state, Optional<String> error) {
                    states.add(state + error.map(e -> ": " + e).orElse(""));
                }

                @Override
                public void onToolsDeclared(List<ToolDefinition> declared) {
                    if (databaseAway) {
                        throw new IllegalStateException("the database is away");
                    }
                    tools.add(declared);
                }
            },
            channel,
            new ConnectorAccount() {
                @Override
                public Redactor enable() {
                    if (accountFailure != null) {
                        throw new IllegalStateException(accountFailure);
                    }
                    channel.log.add("let in");
                    return Redactor.NONE;
                }

                @Override
                public void disable() {
                    channel.log.add("put out");
                }
            },
            new BackendRegistry.BackendExecutors(scheduler, Runnable::run),
            new TimeSource(() -> now, () -> Duration.between(Instant.EPOCH, now).toNanos()),
            () -> ++random);

    /** Records the messages that a broker would carry. */
    private static final class FakeConnectorChannel implements ConnectorChannel {
        final List<String> log = new ArrayList<>();
        final Map<String, ToolRequestMessage> calls = new LinkedHashMap<>();
        final Set<String> queued = new HashSet<>();
        /** How long the broker keeps a call, by correlation id. */
        final Map<String, Long> timesToLive = new LinkedHashMap<>();

        boolean brokerDown;
        boolean maybeSent = true;
        /** Runs before a call is looked for in the queue. */
        Runnable onRetraction = () -> {};

        boolean ready = true;

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public void open(ChannelReceiver receiver) {
            log.add("open");
        }

        @Override
        public void sendCall(String correlation, ToolRequestMessage request, long worthMillis) {
            if (brokerDown) {
                throw new BrokerUnavailableException("away", new IllegalStateException(), maybeSent);
            }
            calls.put(correlation, request);
            timesToLive.put(correlation, worthMillis);
            queued.add(correlation);
        }

        @Override
        public void sendCommand(ConnectorCommand command) {
            if (brokerDown) {
                throw new BrokerUnavailableException("away", new IllegalStateException());
            }
            log.add(command.encode());
        }

        @Override
        public boolean retractCall(String correlation) {
            onRetraction.run();
            return queued.remove(correlation);
        }

        @Override
        public void close() {
            log.add("close");
        }

        String onlyCorrelationId() {
            assertThat(calls).hasSize(1);
            return calls.keySet().iterator().next();
        }
    }

    @AfterEach
    void close() {
        backend.close();
        scheduler.shutdownNow();
    }

    private void bringUp() {
        backend.poll();
        assertThat(backend.onStatusMessage(() -> REGISTRATION)).isTrue();
        assertThat(states).endsWith("READY");
    }

    private CompletableFuture<ToolResult> call(int ordinal, boolean repeatable) {
        return backend.call(new BackendConnection.BackendRequest(
                        new CallId("e", ordinal),
                        "count",
                        new Json("{\"text\":\"x\"}"),
                        repeatable,
                        "t",
                        now.plusSeconds(60)))
                .toCompletableFuture();
    }

    private static ToolErrorCode code(CompletableFuture<ToolResult> result) {
        assertThat(result).isCompleted();
        return ((ToolResult.ToolFailure) result.join()).error().code();
    }

    @Test
    void backendIsUpFromRegistrationUntilHeartbeatsStop() {
        backend.poll();
        assertThat(channel.log).containsExactly("let in", "{\"v\":1,\"register\":true}");
        backend.onStatusMessage(() -> REGISTRATION);
        assertThat(tools).hasSize(1);
        assertThat(tools.get(0).get(0).name()).isEqualTo("count");
        assertThat(tools.get(0).get(0).hints()).isEqualTo(ToolHints.READ_ONLY);
        for (int i = 0; i < 5; i++) {
            now = now.plus(HEARTBEAT_TIMEOUT.dividedBy(2));
            backend.onStatusMessage(() -> "{\"v\":1,\"alive\":{\"instance\":\"i1\",\"revision\":\"1\"}}");
            backend.poll();
        }
        assertThat(states).containsExactly("READY");
        now = now.plus(HEARTBEAT_TIMEOUT).plusMillis(1);
        backend.poll();
        assertThat(states).containsExactly("READY", "DOWN: its connector has sent no heartbeat for 10000 ms");
        assertThat(channel.log).endsWith("{\"v\":1,\"register\":true}");
        backend.onStatusMessage(() -> REGISTRATION);
        assertThat(states).endsWith("READY");
        assertThat(tools).hasSize(1);
    }

    @Test
    void unknownConnectorIsAskedToRegister() {
        backend.poll();
        channel.log.clear();
        backend.onStatusMessage(() -> "{\"v\":1,\"alive\":{\"instance\":\"i1\",\"revision\":\"1\"}}");
        assertThat(channel.log).containsExactly("{\"v\":1,\"register\":true}");
        backend.onStatusMessage(() -> REGISTRATION);
        channel.log.clear();
        backend.onStatusMessage(() -> "{\"v\":1,\"alive\":{\"instance\":\"i1\",\"revision\":\"2\"}}");
        assertThat(channel.log).containsExactly("{\"v\":1,\"register\":true}");
        for (int i = 0; i < 100; i++) {
            String instance = "stranger" + i;
            backend.onStatusMessage(() -> "{\"v\":1,\"alive\":{\"instance\":\"" + instance + "\"}}");
        }
        assertThat(channel.log).hasSizeLessThan(12);
    }

    @Test
    void connectorsAreAdmittedWhenTheQueuesAreReady() {
        backend.onReady();
        assertThat(channel.log).containsExactly("let in", "{\"v\":1,\"register\":true}");
    }

    @Test
    void backendWithoutABrokerAccountIsDownWithItsReason() {
        channel.ready = false;
        backend.poll();
        assertThat(channel.log).isEmpty();
        channel.ready = true;
        accountFailure = "no door";
        backend.poll();
        assertThat(states).containsExactly("DOWN: no door");
        accountFailure = null;
        backend.poll();
        assertThat(channel.log).isEmpty();
        now = now.plusSeconds(5);
        backend.poll();
        assertThat(channel.log).startsWith("let in");
    }

    @Test
    void backendIsDownWhenNoConnectorRegistersInTime() {
        backend.start();
        backend.poll();
        now = now.plus(HEARTBEAT_TIMEOUT).plusMillis(1);
        backend.poll();
        backend.poll();
        assertThat(states).containsExactly("STARTING", "DOWN: no connector has registered");
        backend.onStatusMessage(() -> REGISTRATION);
        assertThat(states).endsWith("READY");
        assertThat(tools).hasSize(1);
    }

    @Test
    void connectorRegistersAgainWhenItsToolsWereNotStored() {
        databaseAway = true;
        backend.poll();
        backend.onStatusMessage(() -> REGISTRATION);
        assertThat(states).isEmpty();
        databaseAway = false;
        backend.poll();
        assertThat(channel.log).endsWith("{\"v\":1,\"register\":true}");
        backend.onStatusMessage(() -> REGISTRATION);
        assertThat(states).containsExactly("READY");
    }

    @Test
    void replyCompletesItsCallOnce() {
        bringUp();
        CompletableFuture<ToolResult> result = call(1, false);
        String correlation = channel.onlyCorrelationId();
        assertThat(correlation).matches("[0-9a-f]{32}");
        ToolRequestMessage request = Objects.requireNonNull(channel.calls.get(correlation));
        assertThat(request.call().tenant()).isEqualTo("t");
        assertThat(request.call().tool()).hasToString("texts.count");
        assertThat(backend.onReply("guessed", () -> "{\"v\":1,\"result\":\"2\"}"))
                .isFalse();
        assertThat(result).isNotDone();
        assertThat(backend.onReply(correlation, () -> "{\"v\":1,\"result\":\"1\"}"))
                .isTrue();
        assertThat(result.join()).isEqualTo(ToolResult.success(new Json("1")));
        assertThat(backend.onReply(correlation, () -> "{\"v\":1,\"result\":\"2\"}"))
                .isFalse();
        assertThat(result.join()).isEqualTo(ToolResult.success(new Json("1")));
        assertThat(backend.droppedMessages()).isEqualTo(2);
    }

    @Test
    void abandonedEffectIsUnknownAndAbandonedReadIsUnavailable() {
        bringUp();
        CompletableFuture<ToolResult> effect = call(1, false);
        backend.onCallAbandoned(channel.onlyCorrelationId());
        assertThat(code(effect)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        channel.calls.clear();
        CompletableFuture<ToolResult> reading = call(2, true);
        backend.onCallAbandoned(channel.onlyCorrelationId());
        assertThat(code(reading)).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(backend.onCallAbandoned("another node's")).isTrue();
    }

    @Test
    void onlyCallsStillQueuedAreUnsentWhenHeartbeatsStop() {
        bringUp();
        CompletableFuture<ToolResult> waiting = call(1, false);
        CompletableFuture<ToolResult> taken = call(2, false);
        channel.queued.remove(new ArrayList<>(channel.calls.keySet()).get(1));
        now = now.plus(HEARTBEAT_TIMEOUT).plusMillis(1);
        backend.poll();
        assertThat(code(waiting)).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(code(taken)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void callArrivingAsTheBackendGoesDownIsAnswered() {
        bringUp();
        backend.onStatusMessage(() -> "{\"v\":1,\"leave\":{\"instance\":\"i1\"}}");
        assertThat(states).endsWith("DOWN: its connector has left");
        assertThat(code(call(1, false))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
    }

    @Test
    void callFailsWithoutABroker() {
        bringUp();
        channel.brokerDown = true;
        assertThat(code(call(1, true))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(code(call(2, false))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        channel.maybeSent = false;
        assertThat(code(call(3, false))).as("certainly not sent").isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        now = now.plus(HEARTBEAT_TIMEOUT).plusMillis(1);
        backend.poll();
        assertThat(states).endsWith("DOWN: its connector has sent no heartbeat for 10000 ms");
    }

    @Test
    void cancelRemovesAQueuedCallOrNotifiesTheConnectors() {
        bringUp();
        channel.log.clear();
        call(1, false);
        backend.cancel(new CallId("e", 1));
        assertThat(channel.log).isEmpty();
        call(2, false);
        channel.queued.clear();
        backend.cancel(new CallId("e", 2));
        backend.cancel(new CallId("e", 2));
        backend.cancel(new CallId("another", 1));
        assertThat(channel.log).containsExactly("{\"v\":1,\"withdraw\":\"e/2\"}");
    }

    @Test
    void onlyAWithdrawnCallThatIsStillQueuedHasCertainlyNoEffect() {
        bringUp();
        channel.log.clear();
        call(1, false);
        assertThat(backend.withdraw(new CallId("e", 1)).toCompletableFuture()).isCompletedWithValue(true);
        assertThat(channel.log).isEmpty();
        call(2, false);
        channel.queued.clear();
        assertThat(backend.withdraw(new CallId("e", 2)).toCompletableFuture()).isCompletedWithValue(false);
        assertThat(channel.log).containsExactly("{\"v\":1,\"withdraw\":\"e/2\"}");
        assertThat(backend.withdraw(new CallId("e", 2)).toCompletableFuture()).isCompletedWithValue(false);
    }

    /** An expired call cannot be taken back, so that it would be unknown whether a connector has it. */
    @Test
    void effectStaysInTheQueueUntilItIsWithdrawn() {
        bringUp();
        call(1, true);
        assertThat(channel.timesToLive.values()).containsExactly(60_000L);
        channel.timesToLive.clear();
        call(2, false);
        assertThat(channel.timesToLive.values())
                .containsExactly(60_000 + BackendConnection.WITHDRAWAL_TIMEOUT.toMillis());
    }

    @Test
    void replyDuringTheWithdrawalIsTheAnswer() {
        bringUp();
        channel.log.clear();
        CompletableFuture<ToolResult> call = call(1, false);
        String correlation = channel.onlyCorrelationId();
        channel.queued.clear();
        channel.onRetraction = () -> assertThat(backend.onReply(correlation, () -> "{\"v\":1,\"result\":\"7\"}"))
                .isTrue();
        assertThat(backend.withdraw(new CallId("e", 1)).toCompletableFuture()).isCompletedWithValue(false);
        assertThat(call).isCompletedWithValue(ToolResult.success(new Json("7")));
        assertThat(channel.log).as("there is nothing to withdraw").isEmpty();
        assertThat(backend.droppedMessages()).isZero();
        assertThat(backend.onReply(correlation, () -> "{\"v\":1,\"result\":\"8\"}"))
                .isFalse();
        assertThat(backend.droppedMessages()).isEqualTo(1);
    }

    @Test
    void timeoutThatAConnectorReportsIsUnknownForAnEffect() {
        bringUp();
        String timeout = "{\"v\":1,\"error\":{\"code\":\"timeout\",\"message\":\"late\"}}";
        CompletableFuture<ToolResult> effect = call(1, false);
        backend.onReply(channel.onlyCorrelationId(), () -> timeout);
        assertThat(code(effect)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        channel.calls.clear();
        CompletableFuture<ToolResult> reading = call(2, true);
        backend.onReply(channel.onlyCorrelationId(), () -> timeout);
        assertThat(code(reading)).isEqualTo(ToolErrorCode.TIMEOUT);
    }

    @Test
    void invalidToolsAreRefusedAndThePreviousOnesKept() {
        bringUp();
        for (String tools : List.of(
                "[{\"name\":\"a\"},{\"name\":\"a\"}]",
                "[{\"name\":\"a b\"}]",
                "[{\"name\":\"a\",\"inputSchema\":{\"title\":\"" + "x".repeat(600_000) + "\"}}]",
                "{}")) {
            channel.log.clear();
            now = now.plusSeconds(1);
            backend.onStatusMessage(() -> "{\"v\":1,\"register\":{\"instance\":\"i2\",\"tools\":" + tools + "}}");
            assertThat(channel.log)
                    .as(tools)
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("\"refused\":{\"instance\":\"i2\"");
            assertThat(states.get(states.size() - 1)).startsWith("READY: a registration was refused: ");
        }
        assertThat(this.tools).hasSize(1);
        assertThat(backend.droppedMessages()).isEqualTo(4);
    }

    @Test
    void registrationsAreLimitedInRateAndInstances() {
        backend.poll();
        for (int i = 0; i < 1_000; i++) {
            String name = "tool" + i;
            backend.onStatusMessage(
                    () -> "{\"v\":1,\"register\":{\"instance\":\"i\",\"tools\":[{\"name\":\"" + name + "\"}]}}");
        }
        assertThat(tools).hasSizeLessThan(15);
        for (int i = 0; i < 100; i++) {
            now = now.plusMillis(1_001);
            String instance = "i" + i;
            backend.onStatusMessage(() -> "{\"v\":1,\"alive\":{\"instance\":\"i\"}}");
            backend.onStatusMessage(() -> "{\"v\":1,\"register\":{\"instance\":\"" + instance + "\",\"tools\":[]}}");
        }
        assertThat(backend.droppedMessages()).isGreaterThan(900);
    }

    @Test
    void closeEndsCallsAndExpelsConnectors() {
        bringUp();
        CompletableFuture<ToolResult> open = call(1, false);
        backend.close();
        assertThat(code(open)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(channel.log).endsWith("close", "put out");
        states.clear();
        backend.onStatusMessage(() -> REGISTRATION);
        backend.poll();
        assertThat(states).isEmpty();
    }
}
