package org.sallyport.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

class TracePagerTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 2));

    private final List<TraceEvent> stored = new ArrayList<>();
    private final List<Integer> requested = new ArrayList<>();

    private List<TraceEvent> read(ExecutionId id, long after, int limit) {
        requested.add(limit);
        return stored.stream().filter(event -> event.seq() > after).limit(limit).toList();
    }

    private void addCalls(int count, int chars) {
        Json arguments = new Json("\"" + "x".repeat(chars) + "\"");
        for (int i = 0; i < count; i++) {
            stored.add(new TraceEvent.ToolStarted(
                    stored.size() + 1, Instant.EPOCH, 1, new ToolName("demo", "echo"), arguments));
        }
    }

    private List<TraceEvent> readAll() {
        List<TraceEvent> all = new ArrayList<>();
        TracePager.forEach(this::read, ID, all::add);
        return all;
    }

    @Test
    void fewEventsAreReadAtOnce() {
        addCalls(3, 10);
        assertThat(readAll()).isEqualTo(stored);
        assertThat(requested).hasSize(1);
    }

    @Test
    void pagesOfSmallEventsGrow() {
        addCalls(1_000, 10);
        assertThat(readAll()).isEqualTo(stored);
        assertThat(requested).startsWith(4, 8, 16, 32, 64, 128).endsWith(128);
    }

    @Test
    void pagesOfLargeEventsStaySmall() {
        addCalls(20, 300_000);
        assertThat(readAll()).isEqualTo(stored);
        assertThat(requested).containsOnly(4);
    }

    @Test
    void pagesShrinkWhenTheEventsGrow() {
        addCalls(60, 10);
        addCalls(100, 50_000);
        assertThat(readAll()).isEqualTo(stored);
        assertThat(requested).endsWith(20);
    }

    @Test
    void executionWithoutEventsHasNoPage() {
        assertThat(new TracePager(this::read, ID).nextPage()).isEmpty();
    }
}
