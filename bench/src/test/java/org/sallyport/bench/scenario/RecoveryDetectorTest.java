package org.sallyport.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RecoveryDetectorTest {
    private final RecoveryDetector recovery = new RecoveryDetector(4);

    @Test
    void elevenResponsesInARowWithHalfFastAreRecovery() {
        serve(6, 5);
        serve(5, 100);
        assertThat(recovery.isRecovered()).isTrue();
    }

    @Test
    void fewerThanElevenResponsesAreNoRecovery() {
        serve(10, 1);
        assertThat(recovery.isRecovered()).isFalse();
    }

    @Test
    void recoveryIsLaterIfMostResponsesAreSlow() {
        serve(11, 7);
        assertThat(recovery.isRecovered()).isFalse();
        serve(11, 5);
        assertThat(recovery.isRecovered()).isTrue();
    }

    @Test
    void rejectionRestartsTheDetection() {
        serve(10, 1);
        recovery.recordRejected();
        serve(10, 1);
        assertThat(recovery.isRecovered()).isFalse();
        serve(1, 1);
        assertThat(recovery.isRecovered()).isTrue();
    }

    private void serve(int times, long millis) {
        for (int i = 0; i < times; i++) {
            recovery.recordServed(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }
}
