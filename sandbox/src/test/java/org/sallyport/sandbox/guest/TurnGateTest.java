package org.sallyport.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnGateTest {
    private static final int HALF = (int) (TurnGate.MAX_WAITING_CHARS / 2);
    private static final Runnable FIRST = () -> {};
    private static final Runnable SECOND = () -> {};

    private final List<Runnable> executed = new ArrayList<>();
    private final TurnGate gate = new TurnGate(executed::add);

    @Test
    void turnsRunWhileFewResultsWait() {
        gate.resultWaits(HALF);
        gate.resultWaits(HALF);

        assertThat(gate.holdsBack(FIRST)).isFalse();
    }

    @Test
    void turnsAreHeldBackUntilEnoughResultsHaveLeft() {
        gate.resultWaits(HALF);
        gate.resultWaits(HALF);
        gate.resultWaits(2);
        assertThat(gate.holdsBack(FIRST)).isTrue();
        assertThat(gate.holdsBack(SECOND)).isTrue();
        gate.resultWaits(1);

        gate.resultLeft(1);
        assertThat(executed).isEmpty();
        gate.resultLeft(HALF);

        assertThat(executed).containsExactly(FIRST, SECOND);
        gate.resultLeft(2);
        assertThat(executed).hasSize(2);
        assertThat(gate.holdsBack(FIRST)).isFalse();
    }
}
