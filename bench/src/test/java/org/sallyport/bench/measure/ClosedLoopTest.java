package org.sallyport.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClosedLoopTest {

    @Test
    void closedLoopRunsEachNumberOnce() throws Exception {
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        LoopResult measured = new ClosedLoop(4).runTimes(1_000, number -> {
            assertThat(seen.add(number)).isTrue();
            return 1;
        });

        assertThat(measured.count()).isEqualTo(1_000);
        assertThat(seen).hasSize(1_000).contains(0L, 999L);
    }

    @Test
    void closedLoopKeepsItsNumberOfOperationsInFlight() throws Exception {
        CountDownLatch together = new CountDownLatch(3);
        LoopResult measured = new ClosedLoop(3).runTimes(3, number -> {
            together.countDown();
            assertThat(together.await(60, TimeUnit.SECONDS)).isTrue();
            return 1;
        });

        assertThat(measured.count()).isEqualTo(3);
    }

    @Test
    void firstWrongResultEndsTheLoopAndIsThrown() {
        AtomicInteger done = new AtomicInteger();
        assertThatThrownBy(() -> new ClosedLoop(1).runTimes(1_000, number -> {
                    if (done.incrementAndGet() == 5) {
                        throw new WrongResultException("five");
                    }
                    return 1;
                }))
                .isInstanceOf(WrongResultException.class)
                .hasMessage("five");
        assertThat(done).hasValue(5);
    }
}
