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
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.Backends;
import org.sallyport.connector.LiveBackend;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ConnectorOrder;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolResult;

class ExternalBackendTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String REGISTRATION =
            "{\"v\":1,\"register\":{\"instance\":\"i1\",\"revision\":\"1\",\"tools\":[{\"name\":\"count\",\"readOnly\":true}]}}";

    /** Looks are made by hand, when the test says so. */
    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(0) {
        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable look, long first, long pause, TimeUnit unit) {
            return schedule(() -> {}, 1, TimeUnit.HOURS);
        }
    };

    private final Wire wire = new Wire();
    private final List<String> heard = new ArrayList<>();
    private final List<List<ToolDefinition>> tools = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private @Nullable String closedBecause;
    private boolean databaseAway;
    private int random;

    private final ExternalBackend backend = new ExternalBackend(
            "texts",
            PATIENCE,
            new LiveBackend.Listener() {
                @Override
                public void state(State state, Optional<String> error) {
                    heard.add(state + error.map(e -> ": " + e).orElse(""));
                }

                @Override
                public void tools(List<ToolDefinition> declared) {
                    if (databaseAway) {
                        throw new IllegalStateException("the database is away");
                    }
                    tools.add(declared);
                }
            },
            wire,
            new Entry() {
                @Override
                public Redaction open() {
                    if (closedBecause != null) {
                        throw new IllegalStateException(closedBecause);
                    }
                    wire.log.add("let in");
                    return Redaction.NOTHING;
                }

                @Override
                public void close() {
                    wire.log.add("put out");
                }
            },
            new Backends.Threads(scheduler, Runnable::run),
            new Clocks(() -> now, () -> Duration.between(Instant.EPOCH, now).toNanos()),
            () -> ++random);

    /** What the broker would carry. */
    private static final class Wire implements ExternalWire {
        final List<String> log = new ArrayList<>();
        final Map<String, ToolRequestMessage> calls = new LinkedHashMap<>();
        final Set<String> queued = new HashSet<>();
        boolean away;
        boolean ready = true;

        @Override
        public boolean ready() {
            return ready;
        }

        @Override
        public void open(Receiver receiver) {
            log.add("open");
        }

        @Override
        public void call(String correlation, ToolRequestMessage request, long worthMillis) {
            if (away) {
                throw new BrokerUnavailableException("away", new IllegalStateException());
            }
            calls.put(correlation, request);
            queued.add(correlation);
        }

        @Override
        public void order(ConnectorOrder order) {
            if (away) {
                throw new BrokerUnavailableException("away", new IllegalStateException());
            }
            log.add(order.encode());
        }

        @Override
        public boolean takeBack(String correlation) {
            return queued.remove(correlation);
        }

        @Override
        public void close() {
            log.add("close");
        }

        String only() {
            assertThat(calls).hasSize(1);
            return calls.keySet().iterator().next();
        }
    }

    @AfterEach
    void close() {
        backend.close();
        scheduler.shutdownNow();
    }

    private void up() {
        backend.look();
        assertThat(backend.news(() -> REGISTRATION)).isTrue();
        assertThat(heard).endsWith("READY");
    }

    private CompletableFuture<ToolResult> call(int ordinal, boolean repeatable) {
        return backend.call(new LiveBackend.Call(
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
        return ((ToolResult.Failure) result.join()).error().code();
    }

    @Test
    void isUpFromTheFirstRegistrationUntilNobodyIsHeardOf() {
        backend.look();
        assertThat(wire.log).containsExactly("let in", "{\"v\":1,\"register\":true}");
        backend.news(() -> REGISTRATION);
        assertThat(tools).hasSize(1);
        assertThat(tools.get(0).get(0).name()).isEqualTo("count");
        assertThat(tools.get(0).get(0).hints()).isEqualTo(ToolHints.READ_ONLY);
        for (int i = 0; i < 5; i++) {
            now = now.plus(PATIENCE.dividedBy(2));
            backend.news(() -> "{\"v\":1,\"alive\":{\"instance\":\"i1\",\"revision\":\"1\"}}");
            backend.look();
        }
        assertThat(heard).containsExactly("READY");
        now = now.plus(PATIENCE).plusMillis(1);
        backend.look();
        assertThat(heard).containsExactly("READY", "DOWN: its connector has not been heard of for 10000 ms");
        assertThat(wire.log).endsWith("{\"v\":1,\"register\":true}");
        backend.news(() -> REGISTRATION);
        assertThat(heard).endsWith("READY");
        assertThat(tools).hasSize(1);
    }

    @Test
    void whoIsNotKnownIsAskedToRegister() {
        backend.look();
        wire.log.clear();
        backend.news(() -> "{\"v\":1,\"alive\":{\"instance\":\"i1\",\"revision\":\"1\"}}");
        assertThat(wire.log).containsExactly("{\"v\":1,\"register\":true}");
        backend.news(() -> REGISTRATION);
        wire.log.clear();
        backend.news(() -> "{\"v\":1,\"alive\":{\"instance\":\"i1\",\"revision\":\"2\"}}");
        assertThat(wire.log).containsExactly("{\"v\":1,\"register\":true}");
        for (int i = 0; i < 100; i++) {
            String instance = "stranger" + i;
            backend.news(() -> "{\"v\":1,\"alive\":{\"instance\":\"" + instance + "\"}}");
        }
        assertThat(wire.log).hasSizeLessThan(12);
    }

    @Test
    void connectorsAreLetInAsSoonAsTheyFindWhatTheyNeed() {
        backend.prepared();
        assertThat(wire.log).containsExactly("let in", "{\"v\":1,\"register\":true}");
    }

    @Test
    void oneThatCannotComeInIsDownAndSaysWhy() {
        wire.ready = false;
        backend.look();
        assertThat(wire.log).isEmpty();
        wire.ready = true;
        closedBecause = "no door";
        backend.look();
        assertThat(heard).containsExactly("DOWN: no door");
        closedBecause = null;
        backend.look();
        assertThat(wire.log).isEmpty();
        now = now.plusSeconds(5);
        backend.look();
        assertThat(wire.log).startsWith("let in");
    }

    @Test
    void whoIsWaitedForInVainIsDown() {
        backend.start();
        backend.look();
        now = now.plus(PATIENCE).plusMillis(1);
        backend.look();
        backend.look();
        assertThat(heard).containsExactly("STARTING", "DOWN: no connector has registered");
        backend.news(() -> REGISTRATION);
        assertThat(heard).endsWith("READY");
        assertThat(tools).hasSize(1);
    }

    @Test
    void toolsThatCouldNotBeStoredAreAskedForAgain() {
        databaseAway = true;
        backend.look();
        backend.news(() -> REGISTRATION);
        assertThat(heard).isEmpty();
        databaseAway = false;
        backend.look();
        assertThat(wire.log).endsWith("{\"v\":1,\"register\":true}");
        backend.news(() -> REGISTRATION);
        assertThat(heard).containsExactly("READY");
    }

    @Test
    void anAnswerEndsItsCallOnce() {
        up();
        CompletableFuture<ToolResult> result = call(1, false);
        String correlation = wire.only();
        assertThat(correlation).matches("[0-9a-f]{32}");
        ToolRequestMessage request = Objects.requireNonNull(wire.calls.get(correlation));
        assertThat(request.call().tenant()).isEqualTo("t");
        assertThat(request.call().tool()).hasToString("texts.count");
        assertThat(backend.answered("guessed", () -> "{\"v\":1,\"result\":\"2\"}"))
                .isFalse();
        assertThat(result).isNotDone();
        assertThat(backend.answered(correlation, () -> "{\"v\":1,\"result\":\"1\"}"))
                .isTrue();
        assertThat(result.join()).isEqualTo(ToolResult.success(new Json("1")));
        assertThat(backend.answered(correlation, () -> "{\"v\":1,\"result\":\"2\"}"))
                .isFalse();
        assertThat(result.join()).isEqualTo(ToolResult.success(new Json("1")));
        assertThat(backend.dropped()).isEqualTo(2);
    }

    @Test
    void aCallThatWasLostIsUnknownUnlessItMayBeRepeated() {
        up();
        CompletableFuture<ToolResult> effect = call(1, false);
        backend.lost(wire.only());
        assertThat(code(effect)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        wire.calls.clear();
        CompletableFuture<ToolResult> reading = call(2, true);
        backend.lost(wire.only());
        assertThat(code(reading)).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(backend.lost("another node's")).isTrue();
    }

    @Test
    void whatIsTakenBackWhenAllAreSilentHasNotHappened() {
        up();
        CompletableFuture<ToolResult> waiting = call(1, false);
        CompletableFuture<ToolResult> taken = call(2, false);
        wire.queued.remove(new ArrayList<>(wire.calls.keySet()).get(1));
        now = now.plus(PATIENCE).plusMillis(1);
        backend.look();
        assertThat(code(waiting)).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(code(taken)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void aCallThatCameWhileItWentDownIsNotForgotten() {
        up();
        backend.news(() -> "{\"v\":1,\"leave\":{\"instance\":\"i1\"}}");
        assertThat(heard).endsWith("DOWN: its connector has left");
        assertThat(code(call(1, false))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
    }

    @Test
    void withoutABrokerACallEnds() {
        up();
        wire.away = true;
        assertThat(code(call(1, true))).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(code(call(2, false))).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        now = now.plus(PATIENCE).plusMillis(1);
        backend.look();
        assertThat(heard).endsWith("DOWN: its connector has not been heard of for 10000 ms");
    }

    @Test
    void aWithdrawnCallIsTakenBackOrItsConnectorsAreTold() {
        up();
        wire.log.clear();
        call(1, false);
        backend.cancel(new CallId("e", 1));
        assertThat(wire.log).isEmpty();
        call(2, false);
        wire.queued.clear();
        backend.cancel(new CallId("e", 2));
        backend.cancel(new CallId("e", 2));
        backend.cancel(new CallId("another", 1));
        assertThat(wire.log).containsExactly("{\"v\":1,\"withdraw\":\"e/2\"}");
    }

    @Test
    void impossibleToolsAreRefusedAndWhatWasKnownStays() {
        up();
        for (String tools : List.of(
                "[{\"name\":\"a\"},{\"name\":\"a\"}]",
                "[{\"name\":\"a b\"}]",
                "[{\"name\":\"a\",\"inputSchema\":{\"title\":\"" + "x".repeat(600_000) + "\"}}]",
                "{}")) {
            wire.log.clear();
            now = now.plusSeconds(1);
            backend.news(() -> "{\"v\":1,\"register\":{\"instance\":\"i2\",\"tools\":" + tools + "}}");
            assertThat(wire.log).as(tools).hasSize(1).first().asString().contains("\"refused\":{\"instance\":\"i2\"");
            assertThat(heard.get(heard.size() - 1)).startsWith("READY: a registration was refused: ");
        }
        assertThat(this.tools).hasSize(1);
        assertThat(backend.dropped()).isEqualTo(4);
    }

    @Test
    void registrationsAreTakenAsOftenAsItIsReasonableAndOfSoManyInstances() {
        backend.look();
        for (int i = 0; i < 1_000; i++) {
            String name = "tool" + i;
            backend.news(() -> "{\"v\":1,\"register\":{\"instance\":\"i\",\"tools\":[{\"name\":\"" + name + "\"}]}}");
        }
        assertThat(tools).hasSizeLessThan(15);
        for (int i = 0; i < 100; i++) {
            now = now.plusMillis(1_001);
            String instance = "i" + i;
            backend.news(() -> "{\"v\":1,\"alive\":{\"instance\":\"i\"}}");
            backend.news(() -> "{\"v\":1,\"register\":{\"instance\":\"" + instance + "\",\"tools\":[]}}");
        }
        assertThat(backend.dropped()).isGreaterThan(900);
    }

    @Test
    void whatIsClosedEndsItsCallsAndPutsItsConnectorsOut() {
        up();
        CompletableFuture<ToolResult> open = call(1, false);
        backend.close();
        assertThat(code(open)).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        assertThat(wire.log).endsWith("close", "put out");
        heard.clear();
        backend.news(() -> REGISTRATION);
        backend.look();
        assertThat(heard).isEmpty();
    }
}
