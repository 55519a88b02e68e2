package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.MisfirePolicy;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.Trigger;
import org.sallyport.tool.Json;

class SchedulePageTest {
    /** Newest first. */
    private final List<Schedule> stored = new ArrayList<>();

    private int maxRequested;

    private List<Schedule> read(Optional<ScheduleId> before, int limit) {
        maxRequested = Math.max(maxRequested, limit);
        int start = before.map(id -> stored.stream().map(Schedule::id).toList().indexOf(id) + 1)
                .orElse(0);
        return stored.stream().skip(start).limit(limit).toList();
    }

    private void store(int count) {
        for (int i = 0; i < count; i++) {
            stored.add(new Schedule(
                    new ScheduleId(new UUID(1, 1_000 - i)),
                    "tenant",
                    "creator",
                    "key",
                    "schedule " + i,
                    new Trigger.IntervalTrigger(Duration.ofHours(1), Instant.EPOCH),
                    ConcurrencyPolicy.QUEUE,
                    MisfirePolicy.NONE,
                    Json.EMPTY_OBJECT,
                    Optional.empty(),
                    Instant.EPOCH,
                    false,
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    Instant.EPOCH,
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    Optional.empty()));
        }
    }

    private List<String> names(SchedulePage page) {
        return page.summaries().stream()
                .map(summary -> summary.path("name").asText())
                .toList();
    }

    @Test
    void pageIsReadInSmallParts() {
        store(30);

        SchedulePage page = SchedulePage.read(this::read, Optional.empty(), 25);

        assertThat(names(page))
                .isEqualTo(stored.stream().limit(25).map(Schedule::name).toList());
        assertThat(page.next()).contains(stored.get(24).id());
        assertThat(maxRequested).isLessThan(10);
        SchedulePage last = SchedulePage.read(this::read, page.next(), 25);
        assertThat(names(last))
                .isEqualTo(stored.stream().skip(25).map(Schedule::name).toList());
        assertThat(last.next()).isEmpty();
    }

    @Test
    void fullLastPageHasNoSuccessor() {
        store(16);

        SchedulePage page = SchedulePage.read(this::read, Optional.empty(), 16);

        assertThat(page.summaries()).hasSize(16);
        assertThat(page.next()).isEmpty();
    }
}
