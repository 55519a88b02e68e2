package org.sallyport.toolgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.toolgraph.ToolGraph.ToolEdge;
import org.sallyport.toolgraph.ToolGraph.ToolNode;

/** Queries of a tool graph, and its ingestion. */
class ToolGraphTest {
    private static final Instant NOW = Instant.parse("2026-06-10T12:00:00Z");

    static ToolGraph graph() {
        return new ToolGraph(
                List.of(
                        new ToolNode("a.x", 10, 1, 100, 6, NOW),
                        new ToolNode("a.y", 8, 0, 80, 2, NOW),
                        new ToolNode("b.z", 2, 2, 20, 0, NOW)),
                List.of(
                        new ToolEdge("a.x", "a.y", 6, 0),
                        new ToolEdge("a.x", "b.z", 2, 2),
                        new ToolEdge("a.y", "a.y", 1, 0)),
                List.of(
                        new ToolGraph.ToolIntent("invoice", "a.x", 5),
                        new ToolGraph.ToolIntent("alice", "a.x", 1),
                        new ToolGraph.ToolIntent("report", "b.z", 2)));
    }

    @Test
    void nextToolsHaveTheirShareOfTransitions() {
        List<ToolGraph.NextTool> next = graph().nextTools("a.x");
        assertThat(next).extracting(ToolGraph.NextTool::tool).containsExactly("a.y", "b.z");
        assertThat(next).extracting(ToolGraph.NextTool::share).containsExactly(0.75, 0.25);
        assertThat(next).extracting(ToolGraph.NextTool::successRate).containsExactly(1.0, 0.0);
        assertThat(graph().nextTools("b.z")).isEmpty();
        assertThat(graph().nextTools("none")).isEmpty();
    }

    @Test
    void firstToolsAreRankedByScriptStarts() {
        assertThat(graph().firstTools()).extracting(ToolGraph.NextTool::tool).containsExactly("a.x", "a.y");
        assertThat(graph().firstTools().get(0).share()).isCloseTo(0.75, within(1e-9));
        assertThat(ToolGraph.EMPTY.firstTools()).isEmpty();
    }

    @Test
    void subgraphContainsOnlyInnerEdges() {
        assertThat(graph().mostCalled(2).nodes()).extracting(ToolNode::tool).containsExactly("a.x", "a.y");
        assertThat(graph().mostCalled(2).edges()).hasSize(2);
        assertThat(graph().neighborhood("b.z", 10).nodes())
                .extracting(ToolNode::tool)
                .containsExactly("a.x", "b.z");
        assertThat(graph().neighborhood("a.x", 2).nodes())
                .extracting(ToolNode::tool)
                .containsExactly("a.x", "a.y");
        assertThat(graph().neighborhood("none", 2).nodes()).isEmpty();
        assertThat(graph().filterTools(tool -> !tool.equals("a.y")).edges())
                .extracting(ToolEdge::to)
                .containsExactly("b.z");
    }

    @Test
    void intentWordOfASingleExecutionIsHidden() {
        assertThat(graph().intentWords()).isEqualTo(Map.of("a.x", List.of("invoice"), "b.z", List.of("report")));
    }

    @Test
    void weeksBeginOnMonday() {
        assertThat(WeekBucket.startOf(WeekBucket.of(NOW))).isEqualTo("2026-06-08T00:00:00Z");
        assertThat(WeekBucket.of(Instant.parse("2026-06-08T00:00:00Z"))).isEqualTo(WeekBucket.of(NOW));
        assertThat(WeekBucket.of(Instant.parse("2026-06-07T23:59:59Z"))).isEqualTo(WeekBucket.of(NOW) - 1);
        assertThat(WeekBucket.of(Instant.EPOCH)).isZero();
        assertThat(WeekBucket.startOf(0)).isEqualTo("1969-12-29T00:00:00Z");
    }

    /** A store whose answers the test sets. */
    private static final class FakeToolGraphStore implements ToolGraphStore {
        private final List<String> calls = new ArrayList<>();
        private int remainingSteps;
        private boolean unavailable;

        @Override
        public boolean ingest(IngestLimits stride, BinaryOperator<String> redaction) {
            calls.add("learn");
            if (unavailable) {
                throw new StoreUnavailableException("away", new RuntimeException());
            }
            return remainingSteps-- > 0;
        }

        @Override
        public boolean deleteBefore(int week) {
            calls.add("forget " + week);
            return false;
        }

        @Override
        public ToolGraph read(String tenant, int week) {
            calls.add("read " + week);
            if (unavailable) {
                throw new StoreUnavailableException("away", new RuntimeException());
            }
            return ToolGraph.EMPTY;
        }
    }

    @Test
    void pollIngestsAFewStepsAndDeletesOldWeeksOnceAWeek() {
        FakeToolGraphStore store = new FakeToolGraphStore();
        Instant[] now = {NOW};
        ToolGraphIngester learner =
                new ToolGraphIngester(store, (tenant, intent) -> intent, Duration.ZERO, 13, () -> now[0]);
        store.remainingSteps = 1;
        learner.poll();
        int week = WeekBucket.of(NOW);
        assertThat(store.calls).containsExactly("learn", "learn", "forget " + (week - 13));
        store.calls.clear();
        store.remainingSteps = 1_000;
        learner.poll();
        assertThat(store.calls).hasSize(40).containsOnly("learn");
        store.calls.clear();
        store.remainingSteps = 0;
        now[0] = NOW.plus(Duration.ofDays(7));
        learner.poll();
        assertThat(store.calls).containsExactly("learn", "forget " + (week - 12));
    }

    @Test
    void unavailableStoreIsRetriedAtTheNextPoll() {
        FakeToolGraphStore store = new FakeToolGraphStore();
        ToolGraphIngester learner =
                new ToolGraphIngester(store, (tenant, intent) -> intent, Duration.ZERO, 13, InstantSource.fixed(NOW));
        store.unavailable = true;
        learner.poll();
        store.unavailable = false;
        learner.poll();
        assertThat(store.calls).containsExactly("learn", "learn", "forget " + (WeekBucket.of(NOW) - 13));
    }

    @Test
    void graphReachesBackAsFarAsTheRetention() {
        FakeToolGraphStore store = new FakeToolGraphStore();
        ToolGraphService graphs = new ToolGraphService(store, 2, InstantSource.fixed(NOW));
        graphs.graphSince("t", Optional.empty());
        graphs.graphSince("t", Optional.of(NOW));
        graphs.graphSince("t", Optional.of(NOW.minus(Duration.ofDays(365))));
        int week = WeekBucket.of(NOW);
        assertThat(store.calls).containsExactly("read " + (week - 2), "read " + week, "read " + (week - 2));
        assertThat(graphs.firstWeekStart(Optional.empty())).isEqualTo("2026-05-25T00:00:00Z");
        assertThat(graphs.firstWeekStart(Optional.of(NOW))).isEqualTo("2026-06-08T00:00:00Z");
    }

    @Test
    void searchGraphIsCachedAndEmptyWhenTheStoreIsDown() {
        FakeToolGraphStore store = new FakeToolGraphStore();
        Instant[] now = {NOW};
        ToolGraphService graphs = new ToolGraphService(store, 2, () -> now[0]);
        store.unavailable = true;
        assertThat(graphs.recentGraph("t")).isEqualTo(ToolGraph.EMPTY);
        store.unavailable = false;
        graphs.recentGraph("t");
        graphs.recentGraph("t");
        assertThat(store.calls).hasSize(2);
        graphs.recentGraph("other");
        assertThat(store.calls).hasSize(3);
        now[0] = NOW.plusSeconds(11);
        graphs.recentGraph("t");
        assertThat(store.calls).hasSize(4);
    }
}
