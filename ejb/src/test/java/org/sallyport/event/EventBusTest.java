package org.sallyport.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.tool.Json;

class EventBusTest {
    private static final FencingToken FENCE = new FencingToken(new ExecutionId(new UUID(0, 1)), 1);
    private static final Optional<Duration> NO_TIMEOUT = Optional.empty();

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final InMemoryEventStore store = new InMemoryEventStore(fence -> true);
    private final List<String> announced = new ArrayList<>();
    private final EventBus bus = new EventBus(
            store, (tenant, name) -> announced.add(tenant + ":" + name), job -> {}, scheduler, Runnable::run);
    private long calls;

    @AfterEach
    void stop() {
        scheduler.shutdownNow();
    }

    private void emit(String tenant, String name, String data) {
        bus.emit(tenant, FENCE, ++calls, name, new Json(data));
    }

    @Test
    void waiterReceivesTheFirstEventAfterItsPosition() {
        emit("t", "a", "1");
        emit("t", "a", "2");
        CompletableFuture<Optional<ScriptEvent>> past = bus.await("t", Set.of("a"), 1, NO_TIMEOUT);
        assertThat(past).isCompletedWithValue(Optional.of(new ScriptEvent(2, "a", new Json("2"))));
        CompletableFuture<Optional<ScriptEvent>> coming = bus.await("t", Set.of("a", "b"), 2, NO_TIMEOUT);
        emit("t", "c", "3");
        emit("other", "a", "4");
        assertThat(coming).isNotDone();
        emit("t", "b", "5");
        emit("t", "a", "6");
        assertThat(coming).isCompletedWithValue(Optional.of(new ScriptEvent(4, "b", new Json("5"))));
        assertThat(bus.waiterCount()).isZero();
        assertThat(announced).containsExactly("t:a", "t:a", "t:c", "other:a", "t:b", "t:a");
    }

    @Test
    void timedOutWaitReturnsEmpty() {
        assertThat(bus.await("t", Set.of("a"), 0, Optional.of(Duration.ofMillis(5))))
                .succeedsWithin(Duration.ofSeconds(60))
                .isEqualTo(Optional.empty());
        assertThat(bus.waiterCount()).isZero();
    }

    @Test
    void cancelledWaiterIsRemoved() {
        CompletableFuture<Optional<ScriptEvent>> waiting = bus.await("t", Set.of("a"), 0, NO_TIMEOUT);
        assertThat(bus.waiterCount()).isEqualTo(1);
        waiting.cancel(false);
        assertThat(bus.waiterCount()).isZero();
    }

    @Test
    void waiterIsKeptWhileTheOnlyOtherOneLeaves() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < 20_000; i++) {
                CompletableFuture<Optional<ScriptEvent>> leaving = bus.await("t", Set.of("a"), 0, NO_TIMEOUT);
                CyclicBarrier both = new CyclicBarrier(2);
                Future<Boolean> left = other.submit(() -> {
                    both.await();
                    return leaving.cancel(false);
                });
                both.await();
                CompletableFuture<Optional<ScriptEvent>> staying = bus.await("t", Set.of("a"), 0, NO_TIMEOUT);
                assertThat(left.get()).isTrue();
                assertThat(bus.waiterCount()).as("round " + i).isEqualTo(1);
                staying.cancel(false);
            }
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void missedNotificationIsFoundByTheNextPoll() {
        CompletableFuture<Optional<ScriptEvent>> waiting = bus.await("t", Set.of("a"), 0, NO_TIMEOUT);
        store.emit("t", FENCE, 99, "a", Json.NULL);
        assertThat(waiting).isNotDone();
        bus.pollMissed();
        assertThat(waiting).isDone();
    }

    private ExternalEmitResult emitExternal(String key, String body) {
        return bus.emitExternal(
                "t", new ExternalEvent("a", new Json("1"), "sender", Optional.of(new IdempotencyKey(key, body))));
    }

    @Test
    void externalEventWakesWaitersAndIsAnnounced() {
        CompletableFuture<Optional<ScriptEvent>> waiting = bus.await("t", Set.of("a"), 0, NO_TIMEOUT);
        assertThat(emitExternal("k", "x")).isEqualTo(new ExternalEmitResult.ExternalEventStored(1, "a", false, false));
        assertThat(waiting).isCompletedWithValue(Optional.of(new ScriptEvent(1, "a", new Json("1"))));
        assertThat(announced).containsExactly("t:a");
    }

    @Test
    void repeatedExternalEventWakesWaitersThatTheFirstRequestDidNotWake() {
        CompletableFuture<Optional<ScriptEvent>> waiting = bus.await("t", Set.of("a"), 0, NO_TIMEOUT);
        ExternalEvent event =
                new ExternalEvent("a", new Json("1"), "sender", Optional.of(new IdempotencyKey("k", "x")));
        store.emitExternal("t", event); // a node that ended between the commit and the announcement
        assertThat(waiting).isNotDone();
        assertThat(emitExternal("k", "x")).isEqualTo(new ExternalEmitResult.ExternalEventStored(1, "a", false, true));
        assertThat(waiting).isDone();
        assertThat(emitExternal("k", "y")).isEqualTo(new ExternalEmitResult.EventKeyConflict());
        assertThat(announced).containsExactly("t:a");
    }

    @Test
    void repeatedExternalEventWakesTheWaitersOfTheStoredName() {
        assertThat(emitExternal("k", "x")).isInstanceOf(ExternalEmitResult.ExternalEventStored.class);
        ExternalEvent redactedSince =
                new ExternalEvent("[redacted]", new Json("1"), "sender", Optional.of(new IdempotencyKey("k", "x")));
        bus.emitExternal("t", redactedSince);
        assertThat(announced).containsExactly("t:a", "t:a");
    }

    @Test
    void storedEventIsNotReportedAsFailedWhileTheNodeStops() {
        EventBus stopping = new EventBus(store, (tenant, name) -> {}, job -> {}, scheduler, task -> {
            throw new RejectedExecutionException("the node stops");
        });
        CompletableFuture<Optional<ScriptEvent>> waiting = stopping.await("t", Set.of("a"), 0, NO_TIMEOUT);
        ExternalEvent event = new ExternalEvent("a", new Json("1"), "sender", Optional.empty());
        assertThat(stopping.emitExternal("t", event))
                .isEqualTo(new ExternalEmitResult.ExternalEventStored(1, "a", false, false));
        assertThat(waiting).isNotDone();
        assertThat(stopping.emit("t", FENCE, 1, "a", Json.NULL)).hasValue(2);
        scheduler.shutdownNow();
        assertThat(stopping.awaitStored("t", Set.of("a"), Duration.ofHours(1))).isNotDone();
    }

    @Test
    void subscriberIsSignalledByTheNamesItAskedFor() {
        CompletableFuture<Void> one = bus.awaitStored("t", Set.of("a"), Duration.ofHours(1));
        CompletableFuture<Void> all = bus.awaitStored("t", Set.of(), Duration.ofHours(1));
        CompletableFuture<Void> other = bus.awaitStored("u", Set.of(), Duration.ofHours(1));
        bus.onStored("t", "b");
        assertThat(one).isNotDone();
        assertThat(all).isCompleted();
        bus.onStored("t", "a");
        assertThat(one).isCompleted();
        assertThat(other).isNotDone();
        assertThat(bus.awaitStored("t", Set.of("a"), Duration.ofMillis(5))).succeedsWithin(Duration.ofSeconds(60));
    }
}
