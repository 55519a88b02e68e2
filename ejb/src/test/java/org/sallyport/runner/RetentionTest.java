package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.event.EventBus;
import org.sallyport.event.MemoryEvents;
import org.sallyport.execution.FinishedExecutions;
import org.sallyport.execution.StoreUnavailableException;

class RetentionTest {
    private static final Duration MONTH = Duration.ofDays(30);

    private final List<Duration> asked = new ArrayList<>();
    private final List<Duration> askedOfEvents = new ArrayList<>();
    private long now = Long.MAX_VALUE - 5;
    private int batches;

    private Retention retention(FinishedExecutions executions, Duration kept) {
        MemoryEvents events = new MemoryEvents(fence -> true) {
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
        return new Retention(executions, kept, bus, Duration.ofHours(3), () -> now);
    }

    private boolean oneBatchLess(Duration age, int limit) {
        asked.add(age);
        return --batches > 0;
    }

    @Test
    void oneStepForEachLookWhileThereIsMore() {
        Retention retention = retention(this::oneBatchLess, MONTH);
        batches = 3;
        for (int look = 0; look < 10; look++) {
            retention.look();
        }
        assertThat(asked).containsExactly(MONTH, MONTH, MONTH);
    }

    @Test
    void rarelyWhileThereIsNothing() {
        Retention retention = retention(this::oneBatchLess, MONTH);
        retention.look();
        now += Retention.PAUSE.toNanos() - 1;
        retention.look();
        assertThat(asked).hasSize(1);
        assertThat(askedOfEvents).containsExactly(Duration.ofHours(3));
        now += 1;
        retention.look();
        assertThat(asked).hasSize(2);
        assertThat(askedOfEvents).hasSize(2);
    }

    @Test
    void forEverMeansForEver() {
        Retention retention = retention(this::oneBatchLess, Duration.ZERO);
        retention.look();
        assertThat(asked).isEmpty();
        assertThat(askedOfEvents).hasSize(1);
    }

    @Test
    void aStoreThatDoesNotAnswerIsNotAskedAllTheTime() {
        Retention retention = retention(
                (age, limit) -> {
                    asked.add(age);
                    throw new StoreUnavailableException("away", new IllegalStateException());
                },
                MONTH);
        assertThatThrownBy(retention::look).isInstanceOf(StoreUnavailableException.class);
        retention.look();
        assertThat(asked).hasSize(1);
    }
}
