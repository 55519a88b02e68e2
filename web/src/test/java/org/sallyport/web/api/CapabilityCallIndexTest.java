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
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ParentExecution;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

class CapabilityCallIndexTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 1));
    private static final ExecutionId CHILD = new ExecutionId(new UUID(1, 2));
    private static final Instant AT = Instant.EPOCH;
    private static final ToolName ADD = new ToolName("demo", "add");
    private static final ToolName HOST = new ToolName("$sallyport", "events.emit");

    /** Has one nested execution, for call 4, and records the queries. */
    private static final class FakeNestedExecutionStore implements NestedExecutionStore {
        private final List<String> queriedRanges = new ArrayList<>();

        @Override
        public Map<Long, NestedExecution> findChildren(ExecutionId parent, long first, long last) {
            queriedRanges.add(first + "-" + last);
            NestedExecution run = new NestedExecution(CHILD, Optional.of(new CapabilityRef("shop.fees", "2.0.0")));
            return parent.equals(ID) && first <= 4 && last >= 4 ? Map.of(4L, run) : Map.of();
        }

        @Override
        public Optional<ExecutionId> findChild(CallId call) {
            throw new AssertionError();
        }

        @Override
        public ParentExecution parentFor(ExecutionId parent, long ordinal) {
            throw new AssertionError();
        }

        @Override
        public NestResult insertNested(NewExecution child, ParentExecution nesting, int maxNested) {
            throw new AssertionError();
        }

        @Override
        public List<ToolName> toolsCalledInTree(ExecutionId member) {
            throw new AssertionError();
        }

        @Override
        public List<AbandonedExecution> findAbandoned(int limit) {
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
    void storeIsQueriedOnceForAllCallsOfAPage() {
        FakeNestedExecutionStore store = new FakeNestedExecutionStore();
        CapabilityCallIndex nested =
                CapabilityCallIndex.of(store, ID, List.of(ended(2, ADD), started(7, ADD), started(4, ADD)));
        assertThat(store.queriedRanges).containsExactly("2-7");
        assertThat(nested.isCapabilityCall(4, ADD)).isTrue();
        assertThat(nested.isCapabilityCall(7, ADD)).isFalse();
        assertThat(nested.grantedName(4, ADD)).isEqualTo(new ToolName("capabilities", "shop.fees"));
        assertThat(nested.grantedName(7, ADD)).isEqualTo(ADD);
    }

    @Test
    void storeIsNotQueriedWithoutToolCalls() {
        FakeNestedExecutionStore store = new FakeNestedExecutionStore();
        assertThat(CapabilityCallIndex.of(store, ID, List.of())).isEqualTo(CapabilityCallIndex.NONE);
        assertThat(CapabilityCallIndex.of(
                        store,
                        ID,
                        List.of(
                                new TraceEvent.StateChanged(1, AT, ExecutionState.RUNNING, 1),
                                started(2, HOST),
                                ended(2, HOST))))
                .isEqualTo(CapabilityCallIndex.NONE);
        assertThat(store.queriedRanges).isEmpty();
    }

    /** A generated test mocks a capability by its name in the script; the list of tools has its name in grants. */
    @Test
    void recordedTestListsCapabilitiesByTheirGrantNames() {
        ToolName byMcp = new ToolName("shop", "fees");
        List<TraceEvent> events = List.of(
                started(3, ADD), ended(3, ADD), started(4, byMcp), ended(4, byMcp), started(5, HOST), ended(5, HOST));
        CapabilityCallIndex nested = CapabilityCallIndex.of(new FakeNestedExecutionStore(), ID, events);
        TestFromRecording recorded = new TestFromRecording();
        events.forEach(event -> recorded.add(event, nested));
        assertThat(recorded.tools()).containsExactly("capabilities.shop.fees", "demo.add");
        assertThat(recorded.nestedExecutions()).containsExactly(CHILD);
        assertThat(recorded.code(ID, Json.EMPTY_OBJECT, Json.EMPTY_OBJECT, Json.NULL))
                .contains("\\\"shop.fees\\\"")
                .doesNotContain("capabilities.shop.fees");
    }
}
