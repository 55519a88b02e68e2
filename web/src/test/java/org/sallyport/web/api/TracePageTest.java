package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

class TracePageTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 2));

    private final List<TraceEvent> stored = new ArrayList<>();

    private List<TraceEvent> read(ExecutionId id, long after, int limit) {
        return stored.stream().filter(event -> event.seq() > after).limit(limit).toList();
    }

    private void call(int chars) {
        stored.add(new TraceEvent.ToolStarted(
                stored.size() + 1,
                Instant.EPOCH,
                1,
                new ToolName("demo", "echo"),
                new Json("\"" + "x".repeat(chars - 2) + "\"")));
    }

    private TracePage page(long after, int limit) {
        return page(after, limit, 1_400);
    }

    private TracePage page(long after, int limit, long maxChars) {
        return TracePage.read(this::read, ID, after, limit, maxChars);
    }

    @Test
    void eventsWithoutValuesCountToo() {
        for (int i = 0; i < 9; i++) {
            call(2);
        }

        assertThat(page(0, 100).events()).hasSizeLessThan(9);
        assertThat(page(0, 100).more()).isTrue();
    }

    @Test
    void pageEndsAtItsSizeLimitAndTheNextContinues() {
        for (int i = 0; i < 9; i++) {
            call(400);
        }

        List<Long> seen = new ArrayList<>();
        TracePage page = page(0, 100);
        assertThat(page.events()).hasSize(2);
        while (page.more()) {
            page.events().forEach(event -> seen.add(event.seq()));
            page = page(seen.get(seen.size() - 1), 100);
        }
        page.events().forEach(event -> seen.add(event.seq()));

        assertThat(seen).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void pageHasAtLeastOneEventOfAnySize() {
        call(5_000);
        call(5_000);

        assertThat(page(0, 100).events()).hasSize(1);
        assertThat(page(0, 100).more()).isTrue();
        assertThat(page(1, 100).events()).hasSize(1);
        assertThat(page(1, 100).more()).isFalse();
    }

    @Test
    void pageGoesOnAfterAShortRead() {
        for (int i = 0; i < 5; i++) {
            call(3);
        }
        TracePage page = TracePage.read((id, after, limit) -> read(id, after, 2), ID, 0, 100, 100_000);

        assertThat(page.events()).isEqualTo(stored);
        assertThat(page.more()).isFalse();
    }

    @Test
    void pageHasAtMostTheRequestedEvents() {
        for (int i = 0; i < 300; i++) {
            call(3);
        }

        assertThat(page(0, 7, 100_000).events()).hasSize(7);
        assertThat(page(0, 7, 100_000).more()).isTrue();
        assertThat(page(0, 1_000, 100_000).events()).hasSize(300);
        assertThat(page(0, 1_000, 100_000).more()).isFalse();
        assertThat(page(300, 10, 100_000).events()).isEmpty();
        assertThat(page(300, 10, 100_000).more()).isFalse();
    }
}
