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
    private final List<Integer> pageSizes = new ArrayList<>();

    private List<TraceEvent> read(ExecutionId id, long after, int limit) {
        List<TraceEvent> page = TestTracePages.page(stored, after, limit);
        pageSizes.add(page.size());
        return page;
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
    void smallEventsAreReadManyAtOnce() {
        addCalls(300, 10);
        assertThat(readAll()).isEqualTo(stored);
        assertThat(pageSizes).containsExactly(TracePager.MAX_EVENTS, TracePager.MAX_EVENTS, 44, 0);
    }

    @Test
    void pagesThatEndByTheirSizeAreFollowedByTheRest() {
        addCalls(7, 300_000);
        addCalls(1, 2_000_000);
        addCalls(1, 10);
        assertThat(readAll()).isEqualTo(stored);
        assertThat(pageSizes).containsExactly(3, 3, 1, 1, 1, 0);
    }

    @Test
    void executionWithoutEventsHasNoPage() {
        assertThat(new TracePager(this::read, ID).nextPage()).isEmpty();
    }
}
