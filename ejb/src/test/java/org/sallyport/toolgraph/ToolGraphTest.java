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
import org.sallyport.toolgraph.ToolGraph.Edge;
import org.sallyport.toolgraph.ToolGraph.Node;

/** What a graph is asked, and how it is kept up. */
class ToolGraphTest {
    private static final Instant NOW = Instant.parse("2026-06-10T12:00:00Z");

    static ToolGraph graph() {
        return new ToolGraph(
                List.of(
                        new Node("a.x", 10, 1, 100, 6, NOW),
                        new Node("a.y", 8, 0, 80, 2, NOW),
                        new Node("b.z", 2, 2, 20, 0, NOW)),
                List.of(new Edge("a.x", "a.y", 6, 0), new Edge("a.x", "b.z", 2, 2), new Edge("a.y", "a.y", 1, 0)),
                List.of(
                        new ToolGraph.Purpose("invoice", "a.x", 5),
                        new ToolGraph.Purpose("alice", "a.x", 1),
                        new ToolGraph.Purpose("report", "b.z", 2)));
    }

    @Test
    void whatComesNextHasItsShareOfWhatCameThere() {
        List<ToolGraph.Next> next = graph().after("a.x");
        assertThat(next).extracting(ToolGraph.Next::tool).containsExactly("a.y", "b.z");
        assertThat(next).extracting(ToolGraph.Next::share).containsExactly(0.75, 0.25);
        assertThat(next).extracting(ToolGraph.Next::success).containsExactly(1.0, 0.0);
        assertThat(graph().after("b.z")).isEmpty();
        assertThat(graph().after("none")).isEmpty();
    }

    @Test
    void whatScriptsBeginWithComesFirstWhereNothingCameBefore() {
        assertThat(graph().beginnings()).extracting(ToolGraph.Next::tool).containsExactly("a.x", "a.y");
        assertThat(graph().beginnings().get(0).share()).isCloseTo(0.75, within(1e-9));
        assertThat(ToolGraph.EMPTY.beginnings()).isEmpty();
    }

    @Test
    void aPartHasOnlyEdgesWithinIt() {
        assertThat(graph().most(2).nodes()).extracting(Node::tool).containsExactly("a.x", "a.y");
        assertThat(graph().most(2).edges()).hasSize(2);
        assertThat(graph().around("b.z", 10).nodes()).extracting(Node::tool).containsExactly("a.x", "b.z");
        assertThat(graph().around("a.x", 2).nodes()).extracting(Node::tool).containsExactly("a.x", "a.y");
        assertThat(graph().around("none", 2).nodes()).isEmpty();
        assertThat(graph().only(tool -> !tool.equals("a.y")).edges())
                .extracting(Edge::to)
                .containsExactly("b.z");
    }

    @Test
    void aWordOfASingleExecutionIsNotShown() {
        assertThat(graph().intents()).isEqualTo(Map.of("a.x", List.of("invoice"), "b.z", List.of("report")));
    }

    @Test
    void weeksBeginOnMonday() {
        assertThat(Week.start(Week.of(NOW))).isEqualTo("2026-06-08T00:00:00Z");
        assertThat(Week.of(Instant.parse("2026-06-08T00:00:00Z"))).isEqualTo(Week.of(NOW));
        assertThat(Week.of(Instant.parse("2026-06-07T23:59:59Z"))).isEqualTo(Week.of(NOW) - 1);
        assertThat(Week.of(Instant.EPOCH)).isZero();
        assertThat(Week.start(0)).isEqualTo("1969-12-29T00:00:00Z");
    }

    /** Answers as it is told. */
    private static final class Scripted implements ToolGraphStore {
        private final List<String> asked = new ArrayList<>();
        private int more;
        private boolean away;

        @Override
        public boolean learn(Stride stride, BinaryOperator<String> redaction) {
            asked.add("learn");
            if (away) {
                throw new StoreUnavailableException("away", new RuntimeException());
            }
            return more-- > 0;
        }

        @Override
        public boolean forget(int week) {
            asked.add("forget " + week);
            return false;
        }

        @Override
        public ToolGraph read(String tenant, int week) {
            asked.add("read " + week);
            if (away) {
                throw new StoreUnavailableException("away", new RuntimeException());
            }
            return ToolGraph.EMPTY;
        }
    }

    @Test
    void aLookLearnsAFewStepsAtMostAndForgetsOnceAWeek() {
        Scripted store = new Scripted();
        Instant[] now = {NOW};
        ToolGraphLearner learner =
                new ToolGraphLearner(store, (tenant, intent) -> intent, Duration.ZERO, 13, () -> now[0]);
        store.more = 1;
        learner.look();
        int week = Week.of(NOW);
        assertThat(store.asked).containsExactly("learn", "learn", "forget " + (week - 13));
        store.asked.clear();
        store.more = 1_000;
        learner.look();
        assertThat(store.asked).hasSize(40).containsOnly("learn");
        store.asked.clear();
        store.more = 0;
        now[0] = NOW.plus(Duration.ofDays(7));
        learner.look();
        assertThat(store.asked).containsExactly("learn", "forget " + (week - 12));
    }

    @Test
    void aStoreThatIsAwayIsAskedAgainAtTheNextLook() {
        Scripted store = new Scripted();
        ToolGraphLearner learner =
                new ToolGraphLearner(store, (tenant, intent) -> intent, Duration.ZERO, 13, InstantSource.fixed(NOW));
        store.away = true;
        learner.look();
        store.away = false;
        learner.look();
        assertThat(store.asked).containsExactly("learn", "learn", "forget " + (Week.of(NOW) - 13));
    }

    @Test
    void oneAsksAsFarBackAsIsKept() {
        Scripted store = new Scripted();
        ToolGraphs graphs = new ToolGraphs(store, 2, InstantSource.fixed(NOW));
        graphs.of("t", Optional.empty());
        graphs.of("t", Optional.of(NOW));
        graphs.of("t", Optional.of(NOW.minus(Duration.ofDays(365))));
        int week = Week.of(NOW);
        assertThat(store.asked).containsExactly("read " + (week - 2), "read " + week, "read " + (week - 2));
        assertThat(graphs.from(Optional.empty())).isEqualTo("2026-05-25T00:00:00Z");
        assertThat(graphs.from(Optional.of(NOW))).isEqualTo("2026-06-08T00:00:00Z");
    }

    @Test
    void whatASearchGoesByIsReadNowAndThenAndMissedWhenTheStoreIsAway() {
        Scripted store = new Scripted();
        Instant[] now = {NOW};
        ToolGraphs graphs = new ToolGraphs(store, 2, () -> now[0]);
        store.away = true;
        assertThat(graphs.recent("t")).isEqualTo(ToolGraph.EMPTY);
        store.away = false;
        graphs.recent("t");
        graphs.recent("t");
        assertThat(store.asked).hasSize(2);
        graphs.recent("other");
        assertThat(store.asked).hasSize(3);
        now[0] = NOW.plusSeconds(11);
        graphs.recent("t");
        assertThat(store.asked).hasSize(4);
        for (int i = 0; i < 100; i++) {
            graphs.recent("t" + i);
        }
        graphs.recent("t99");
        assertThat(store.asked).hasSize(104);
    }
}
