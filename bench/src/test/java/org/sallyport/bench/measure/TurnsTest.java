package org.sallyport.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnsTest {

    @Test
    void loadAndFloorTakeTurns() throws Exception {
        List<String> order = new ArrayList<>();
        Turns.take(2, noting("A", order), noting("B", order));

        assertThat(order).containsExactly("A", "B", "A", "B");
    }

    @Test
    void theRatioIsTheMedianOfTheRoundsSoThatOneBadRoundDoesNotCount() throws Exception {
        Deque<Integer> loads = new ArrayDeque<>(List.of(4, 400, 6));
        Turns turns = Turns.take(3, () -> each(loads.removeFirst()), () -> each(2));

        assertThat(turns.ratio(Measured::millisEach)).isEqualTo(3);
        assertThat(turns.load().count()).isEqualTo(3);
        assertThat(turns.floor().elapsed()).isEqualTo(Duration.ofMillis(6));
    }

    @Test
    void theDifferenceIsTheMedianOfTheRoundsToo() throws Exception {
        Deque<Integer> loads = new ArrayDeque<>(List.of(4, 400, 1));
        Turns turns = Turns.take(3, () -> each(loads.removeFirst()), () -> each(2));

        assertThat(turns.difference(Measured::millisEach)).isEqualTo(2);
    }

    @Test
    void anEvenNumberOfRoundsHasItsMiddleBetweenTwo() {
        assertThat(Median.of(9, 1, 4, 2)).isEqualTo(3);
        assertThatThrownBy(Median::of).isInstanceOf(IllegalArgumentException.class);
    }

    private static Load noting(String name, List<String> order) {
        return () -> {
            order.add(name);
            return each(1);
        };
    }

    private static Measured each(int millis) {
        Latencies latencies = new Latencies();
        latencies.record(Duration.ofMillis(millis));
        return new Measured(latencies, Duration.ofMillis(millis));
    }
}
