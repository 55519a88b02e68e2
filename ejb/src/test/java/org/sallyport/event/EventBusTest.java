package org.sallyport.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.Fence;
import org.sallyport.tool.Json;

class EventBusTest {
    private static final Fence FENCE = new Fence(new ExecutionId(new UUID(0, 1)), 1);
    private static final Optional<Duration> FOR_EVER = Optional.empty();

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final MemoryEvents store = new MemoryEvents(fence -> true);
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
    void whoWaitsHearsTheFirstEventAfterItsPlace() {
        emit("t", "a", "1");
        emit("t", "a", "2");
        CompletableFuture<Optional<Event>> past = bus.next("t", Set.of("a"), 1, FOR_EVER);
        assertThat(past).isCompletedWithValue(Optional.of(new Event(2, "a", new Json("2"))));
        CompletableFuture<Optional<Event>> coming = bus.next("t", Set.of("a", "b"), 2, FOR_EVER);
        emit("t", "c", "3");
        emit("other", "a", "4");
        assertThat(coming).isNotDone();
        emit("t", "b", "5");
        emit("t", "a", "6");
        assertThat(coming).isCompletedWithValue(Optional.of(new Event(4, "b", new Json("5"))));
        assertThat(bus.waitingCount()).isZero();
        assertThat(announced).containsExactly("t:a", "t:a", "t:c", "other:a", "t:b", "t:a");
    }

    @Test
    void aTimeoutAnswersNothing() {
        assertThat(bus.next("t", Set.of("a"), 0, Optional.of(Duration.ofMillis(5))))
                .succeedsWithin(Duration.ofSeconds(60))
                .isEqualTo(Optional.empty());
        assertThat(bus.waitingCount()).isZero();
    }

    @Test
    void whoIsCancelledWaitsNoMore() {
        CompletableFuture<Optional<Event>> waiting = bus.next("t", Set.of("a"), 0, FOR_EVER);
        assertThat(bus.waitingCount()).isEqualTo(1);
        waiting.cancel(false);
        assertThat(bus.waitingCount()).isZero();
    }

    @Test
    void aLostWordIsMadeGoodByTheNextLook() {
        CompletableFuture<Optional<Event>> waiting = bus.next("t", Set.of("a"), 0, FOR_EVER);
        store.emit("t", FENCE, 99, "a", Json.NULL);
        assertThat(waiting).isNotDone();
        bus.lookAgain();
        assertThat(waiting).isDone();
    }
}
