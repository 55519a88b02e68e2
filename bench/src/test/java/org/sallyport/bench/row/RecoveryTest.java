package org.sallyport.bench.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RecoveryTest {
    private final Recovery recovery = new Recovery(4);

    @Test
    void isReachedByElevenInARowOfWhichHalfAreQuickEnough() {
        serve(6, 5);
        serve(5, 100);
        assertThat(recovery.reached()).isTrue();
    }

    @Test
    void isNotReachedByFewer() {
        serve(10, 1);
        assertThat(recovery.reached()).isFalse();
    }

    @Test
    void isReachedLaterWhenMostAreSlow() {
        serve(11, 7);
        assertThat(recovery.reached()).isFalse();
        serve(11, 5);
        assertThat(recovery.reached()).isTrue();
    }

    @Test
    void beginsAnewWhenOneIsRefused() {
        serve(10, 1);
        recovery.refused();
        serve(10, 1);
        assertThat(recovery.reached()).isFalse();
        serve(1, 1);
        assertThat(recovery.reached()).isTrue();
    }

    private void serve(int times, long millis) {
        for (int i = 0; i < times; i++) {
            recovery.served(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }
}
