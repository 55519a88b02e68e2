package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyedCounterTest {
    private final KeyedCounter counter = new KeyedCounter();

    @Test
    void countIsLimitedAndReleasedUnitsCanBeAcquiredAgain() {
        assertThat(counter.tryAcquire("a", 2)).isTrue();
        assertThat(counter.tryAcquire("a", 2)).isTrue();
        assertThat(counter.tryAcquire("a", 2)).isFalse();
        assertThat(counter.tryAcquire("b", 1)).isTrue();
        assertThat(counter.tryAcquire("c", 0)).isFalse();
        assertThat(counter.count("c")).isZero();

        counter.release("a");

        assertThat(counter.count("a")).isEqualTo(1);
        assertThat(counter.tryAcquire("a", 2)).isTrue();
    }
}
