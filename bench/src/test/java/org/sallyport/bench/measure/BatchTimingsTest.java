package org.sallyport.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BatchTimingsTest {

    @Test
    void eachBatchIsOneValueAndAllItsOperationsCount() throws Exception {
        AtomicLong done = new AtomicLong();
        BatchTimings batches =
                BatchTimings.measure(7, Duration.ofMillis(1), Duration.ofMillis(20), done::incrementAndGet);

        assertThat(batches.batchMeans().count()).isEqualTo(7);
        assertThat(batches.operations() % 7).isZero();
        assertThat(batches.operations()).isPositive().isLessThan(done.get());
    }

    @Test
    void operationLongerThanABatchIsABatchOfItsOwn() throws Exception {
        BatchTimings batches = BatchTimings.measure(3, Duration.ofNanos(1), Duration.ofNanos(1), () -> "done");

        assertThat(batches.operations()).isEqualTo(3);
    }

    @Test
    void failureEndsTheMeasurement() {
        assertThatThrownBy(() -> BatchTimings.measure(1, Duration.ofMillis(1), Duration.ofMillis(1), () -> {
                    throw new WrongResultException("no");
                }))
                .isInstanceOf(WrongResultException.class);
    }
}
