package org.sallyport.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlternatingRunsTest {

    @Test
    void loadAndBaselineAlternate() throws Exception {
        List<String> order = new ArrayList<>();
        AlternatingRuns.run(2, recording("A", order), recording("B", order));

        assertThat(order).containsExactly("A", "B", "A", "B");
    }

    @Test
    void ratioIsTheMedianOfTheRounds() throws Exception {
        Deque<Integer> loads = new ArrayDeque<>(List.of(4, 400, 6));
        AlternatingRuns turns =
                AlternatingRuns.run(3, () -> resultOfMillis(loads.removeFirst()), () -> resultOfMillis(2));

        assertThat(turns.medianRatio(LoopResult::millisPerOperation)).isEqualTo(3);
        assertThat(turns.loadTotal().count()).isEqualTo(3);
        assertThat(turns.baselineTotal().elapsed()).isEqualTo(Duration.ofMillis(6));
    }

    @Test
    void differenceIsTheMedianOfTheRounds() throws Exception {
        Deque<Integer> loads = new ArrayDeque<>(List.of(4, 400, 1));
        AlternatingRuns turns =
                AlternatingRuns.run(3, () -> resultOfMillis(loads.removeFirst()), () -> resultOfMillis(2));

        assertThat(turns.medianDifference(LoopResult::millisPerOperation)).isEqualTo(2);
    }

    @Test
    void medianOfAnEvenNumberIsBetweenTheMiddleTwo() {
        assertThat(Median.of(9, 1, 4, 2)).isEqualTo(3);
        assertThatThrownBy(Median::of).isInstanceOf(IllegalArgumentException.class);
    }

    private static Workload recording(String name, List<String> order) {
        return () -> {
            order.add(name);
            return resultOfMillis(1);
        };
    }

    private static LoopResult resultOfMillis(int millis) {
        LatencyRecorder latencies = new LatencyRecorder();
        latencies.record(Duration.ofMillis(millis));
        return new LoopResult(latencies, Duration.ofMillis(millis));
    }
}
