package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.event.EventBus;
import org.sallyport.event.InMemoryEventStore;
import org.sallyport.execution.ExecutionPurger;
import org.sallyport.execution.StoreUnavailableException;

class RetentionTaskTest {
    private static final Duration MONTH = Duration.ofDays(30);

    private final List<Duration> asked = new ArrayList<>();
    private final List<Duration> askedOfEvents = new ArrayList<>();
    private long now = Long.MAX_VALUE - 5;
    private int batches;

    private RetentionTask retention(ExecutionPurger executions, Duration kept) {
        InMemoryEventStore events = new InMemoryEventStore(fence -> true) {
            @Override
            public int purge(Duration age, int limit) {
                askedOfEvents.add(age);
                return 0;
            }
        };
        EventBus bus = new EventBus(
                events,
                (tenant, name) -> {},
                job -> {},
                java.util.concurrent.Executors.newScheduledThreadPool(0),
                Runnable::run);
        return new RetentionTask(executions, kept, bus, Duration.ofHours(3), () -> now);
    }

    private boolean oneBatchLess(Duration age, int limit) {
        asked.add(age);
        return --batches > 0;
    }

    @Test
    void eachPollPurgesOneBatchWhileMoreRemain() {
        RetentionTask retention = retention(this::oneBatchLess, MONTH);
        batches = 3;
        for (int i = 0; i < 10; i++) {
            retention.purgeIfDue();
        }
        assertThat(asked).containsExactly(MONTH, MONTH, MONTH);
    }

    @Test
    void idleRetentionPollsRarely() {
        RetentionTask retention = retention(this::oneBatchLess, MONTH);
        retention.purgeIfDue();
        now += RetentionTask.IDLE_INTERVAL.toNanos() - 1;
        retention.purgeIfDue();
        assertThat(asked).hasSize(1);
        assertThat(askedOfEvents).containsExactly(Duration.ofHours(3));
        now += 1;
        retention.purgeIfDue();
        assertThat(asked).hasSize(2);
        assertThat(askedOfEvents).hasSize(2);
    }

    @Test
    void zeroRetentionKeepsExecutionsForever() {
        RetentionTask retention = retention(this::oneBatchLess, Duration.ZERO);
        retention.purgeIfDue();
        assertThat(asked).isEmpty();
        assertThat(askedOfEvents).hasSize(1);
    }

    @Test
    void unavailableStoreIsNotPolledConstantly() {
        RetentionTask retention = retention(
                (age, limit) -> {
                    asked.add(age);
                    throw new StoreUnavailableException("away", new IllegalStateException());
                },
                MONTH);
        assertThatThrownBy(retention::purgeIfDue).isInstanceOf(StoreUnavailableException.class);
        retention.purgeIfDue();
        assertThat(asked).hasSize(1);
    }
}
