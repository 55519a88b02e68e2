package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.Nesting;
import org.sallyport.execution.NewExecution;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

class NestedCallsTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 1));
    private static final ExecutionId CHILD = new ExecutionId(new UUID(1, 2));
    private static final Instant AT = Instant.EPOCH;
    private static final ToolName ADD = new ToolName("demo", "add");
    private static final ToolName HOST = new ToolName("$sallyport", "events.emit");

    /** One execution is nested, for call 4; whoever asks is noted. */
    private static final class Store implements NestedRunStore {
        private final List<String> asked = new ArrayList<>();

        @Override
        public Map<Long, Nested> children(ExecutionId parent, long first, long last) {
            asked.add(first + "-" + last);
            Nested run = new Nested(CHILD, Optional.of(new CapabilityRef("shop.fees", "2.0.0")));
            return parent.equals(ID) && first <= 4 && last >= 4 ? Map.of(4L, run) : Map.of();
        }

        @Override
        public Optional<ExecutionId> child(CallId call) {
            throw new AssertionError();
        }

        @Override
        public Nesting below(ExecutionId parent, long ordinal) {
            throw new AssertionError();
        }

        @Override
        public Answer nest(NewExecution child, Nesting nesting, int most) {
            throw new AssertionError();
        }

        @Override
        public List<ToolName> calledAround(ExecutionId member) {
            throw new AssertionError();
        }

        @Override
        public List<Abandoned> abandoned(int limit) {
            throw new AssertionError();
        }
    }

    private static TraceEvent started(long call, ToolName tool) {
        return new TraceEvent.ToolStarted(call, AT, call, tool, Json.EMPTY_OBJECT);
    }

    private static TraceEvent ended(long call, ToolName tool) {
        return new TraceEvent.ToolEnded(call, AT, call, tool, 1, 0, Optional.of(Json.NULL), Optional.empty());
    }

    @Test
    void theStoreIsAskedOnceForAllCallsOfAPage() {
        Store store = new Store();
        NestedCalls nested = NestedCalls.of(store, ID, List.of(ended(2, ADD), started(7, ADD), started(4, ADD)));
        assertThat(store.asked).containsExactly("2-7");
        assertThat(nested.has(4, ADD)).isTrue();
        assertThat(nested.has(7, ADD)).isFalse();
        assertThat(nested.name(4, ADD)).isEqualTo(new ToolName("capabilities", "shop.fees"));
        assertThat(nested.name(7, ADD)).isEqualTo(ADD);
    }

    @Test
    void whereNoToolIsCalledNothingIsAsked() {
        Store store = new Store();
        assertThat(NestedCalls.of(store, ID, List.of())).isEqualTo(NestedCalls.NONE);
        assertThat(NestedCalls.of(
                        store,
                        ID,
                        List.of(
                                new TraceEvent.StateChanged(1, AT, ExecutionState.RUNNING, 1),
                                started(2, HOST),
                                ended(2, HOST))))
                .isEqualTo(NestedCalls.NONE);
        assertThat(store.asked).isEmpty();
    }

    /** A test mocks by what the script calls; what the capability may call is named as grants have it. */
    @Test
    void aRecordingNamesCapabilitiesAsGrantsDo() {
        ToolName byMcp = new ToolName("shop", "fees");
        List<TraceEvent> events = List.of(
                started(3, ADD), ended(3, ADD), started(4, byMcp), ended(4, byMcp), started(5, HOST), ended(5, HOST));
        NestedCalls nested = NestedCalls.of(new Store(), ID, events);
        RecordedTest recorded = new RecordedTest();
        events.forEach(event -> recorded.add(event, nested));
        assertThat(recorded.tools()).containsExactly("capabilities.shop.fees", "demo.add");
        assertThat(recorded.nestedRuns()).containsExactly(CHILD);
        assertThat(recorded.code(ID, Json.EMPTY_OBJECT, Json.EMPTY_OBJECT, Json.NULL))
                .contains("\\\"shop.fees\\\"")
                .doesNotContain("capabilities.shop.fees");
    }
}
